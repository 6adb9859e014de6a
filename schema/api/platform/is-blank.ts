/** U+2800 is a letter of Braille without dots. */
const visible = /[^\s\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;

export const isBlank = (text: string): boolean => !visible.test(text);
