/** Whether a version of package.json comes after another: 1.10.0 after 1.9.2. */
export const isNewer = (version: string, than: string): boolean =>
  version.localeCompare(than, "en", { numeric: true }) > 0;
