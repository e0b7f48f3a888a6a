"""How the pages are made that follow from the program itself."""
