const maxOptionIdCharacters = 64;

/** The file's ids, or their positions if one is too long. */
export const shortenOptionIds = (ids: readonly string[]): readonly string[] =>
  ids.some((id) => id.length > maxOptionIdCharacters) ? ids.map((_, at) => `option-${at + 1}`) : ids;
