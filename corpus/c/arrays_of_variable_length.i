//@ stage: c
int f(int n, int m, int grid[n][m]) {
  int row[m];
  for (int j = 0; j < m; j++) row[j] = grid[n - 1][j];
  return row[0] + sizeof row;
}
