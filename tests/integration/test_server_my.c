/* What private MySQL and MariaDB servers have of their own. */
#include "config.h"
int main(void){return 0;}
