#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include <ctype.h>
int main(void) {
    char buffer[64] = "hello";
    strcat(buffer, ", world"); strncat(buffer, "!!!!", 2);
    printf("%s %zu %d %d\n", buffer, strlen(buffer), strcmp(buffer, "hello") > 0, strncmp(buffer, "help", 3));
    printf("%s|%s|%s\n", strchr(buffer, 'w'), strrchr(buffer, 'l'), strstr(buffer, "lo"));
    char copy[8]; strncpy(copy, "ab", sizeof copy);
    for (int i = 0; i < 8; i++) printf("%d ", copy[i]);
    char text[] = "one two,three;;four"; 
    for (char *t = strtok(text, " ,;"); t; t = strtok(NULL, " ,;")) printf("[%s]", t);
    char *d = strdup("Mixed Case 123");
    for (char *p = d; *p; p++) *p = islower((unsigned char)*p) ? toupper((unsigned char)*p) : tolower((unsigned char)*p);
    printf("\n%s %zu %zu\n", d, strspn(d, "mixedMIXED"), strcspn(d, " "));
    free(d);
    char *end;
    long number = strtol("-42abc", &end, 10);
    printf("%ld %ld %lu %ld '%s'\n", number, strtol("0x1fz", NULL, 0), strtoul("777", NULL, 8), strtol("  99999999999999999999", NULL, 10), end);
    printf("%d %d %d\n", atoi("  -17x"), atoi("x"), atoi("2147483647"));
    memset(buffer, '-', 10); memmove(buffer + 2, buffer, 5); buffer[12] = 0;
    printf("%s %d %s\n", buffer, memcmp("abc", "abd", 3) < 0, (char *)memchr("xyz", 'y', 3));
    return 0;
}
