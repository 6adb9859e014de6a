/** What the service says of a file that it does not take, in words that a reader's language has. */
const known = [
  [/^A file of purpose \w+ has at most (?<size>[\d.]+ MB)$/, "upload.refused.LARGE"],
  [/^The university's quota of (?<size>[\d.]+ GB) is used up$/, "upload.refused.quota"],
  [/^At most (?<count>[\d.]+) files a day$/, "upload.refused.daily.files"],
  [/^At most (?<size>[\d.]+ GB) a day$/, "upload.refused.daily.bytes"],
  [/^A picture is PNG, JPEG or WebP, and this is (?<kind>.+)$/, "upload.refused.picture"],
  [/^An import takes text and ZIP archives, and this is (?<kind>.+)$/, "upload.refused.import"],
  [/^Programs are not taken, and this is (?<kind>.+)$/, "upload.refused.program"],
  [/^The scanner found (?<found>.+)$/s, "upload.refused.scanner"],
  [
    /^(\d+ bytes were promised, and \d+ were sent|No bytes were sent|Parts are missing|Its bytes )/,
    "upload.refused.broken",
  ],
  [/^No file store is configured$/, "upload.refused.no.store"],
] as const;

type Said = [name: (typeof known)[number][1], values: Record<string, string>];

/** Which of the application's texts says the same as the service; undefined for what none of them says. */
export function refusalTextOf(said: string): Said | undefined {
  for (const [pattern, name] of known) {
    const match = pattern.exec(said);
    if (match) return [name, { ...match.groups }];
  }
  return undefined;
}
