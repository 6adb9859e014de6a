// biome-ignore lint/suspicious/noControlCharactersInRegex: separators of files and records end a line too
const lineBreak = /\r\n?|[\v\f\u001c-\u001e\u0085\u2028\u2029]/g;

/** Three dashes, with blanks, combining marks and invisible characters before and between them. */
const fence =
  /^(?=(?:(?:(?!\n)[\s\p{M}\p{C}\p{Default_Ignorable_Code_Point}\u2800])*[\p{Pd}\u2212\u02d7\u2043\u23af\u2500\u2501\u2504\u2505\u2508\u2509\u254c\u254d\u2796\u30fc]){3})/gmu;

/**
 * Quotes lines that begin with three or more dashes: they end a prompt's material. Covers all line breaks and
 * dash characters. Idempotent.
 */
export const quotePromptDashLines = (text: string): string =>
  text.replace(lineBreak, "\n").replace(fence, "> ");
