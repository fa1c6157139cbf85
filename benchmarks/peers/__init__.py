"""The same work by Elcano and by what a user would pick instead, each a program that takes its turn."""
