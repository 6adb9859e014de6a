/** Escapes characters that Markdown would read as marks. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~$]/g, "\\$&").replaceAll(/&(?=#?\w+;)/g, "\\&");
