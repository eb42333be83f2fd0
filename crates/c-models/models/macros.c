/* What macros of <errno.h>, <netdb.h> and <ctype.h> call.  All of it is there from the start. */

int *__errno_location(void)
{
  return library_numbers;
}

int *__h_errno_location(void)
{
  return library_numbers;
}

/* Tables have a row of characters before the one that the pointer leads to. */
static const unsigned short *library_class_row = library_classes;
static const int *library_lower_row = library_numbers, *library_upper_row = library_numbers;

const unsigned short **__ctype_b_loc(void)
{
  return &library_class_row;
}

const int **__ctype_tolower_loc(void)
{
  return &library_lower_row;
}

const int **__ctype_toupper_loc(void)
{
  return &library_upper_row;
}
