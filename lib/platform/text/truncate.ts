/** In UTF-16 units; one less to avoid splitting a surrogate pair. */
export const truncate = (text: string, most: number): string =>
  text.slice(0, isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most);

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
