/** Written by a program for a character that it could not decode. */
export const lostCharacter = "\ufffd";
