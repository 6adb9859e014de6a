/** 1.10.0 is newer than 1.9.2. */
export const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) > 0;
