/** Folds case and accents for comparison. */
const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();

/** A filter for texts that contain all of the words, in any order. Accents and case do not matter. */
export function createContainsWordsFilter(words: string): (text: string) => boolean {
  const wanted = plain(words).split(/\s+/).filter(Boolean);
  return (text) => {
    const searched = plain(text);
    return wanted.every((word) => searched.includes(word));
  };
}
