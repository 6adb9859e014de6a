import { strFromU8, strToU8, unzipSync, zipSync } from "fflate";

export type TextFile = { name: string; text: string };

/** What an archive may hold: how many of the files that are `wanted`, and how many bytes of them when unpacked. */
export type ArchiveBounds = {
  wanted(name: string): boolean;
  mostFiles: number;
  mostBytes: number;
  largestFile?: number;
};

/** Why an archive is not read: it is none, or it holds more than it may. */
export class UnreadableArchive extends Error {
  readonly isTooLarge: boolean;

  constructor(isTooLarge: boolean, options?: ErrorOptions) {
    super(isTooLarge ? "the archive is too large" : "not a ZIP archive", options);
    this.isTooLarge = isTooLarge;
  }
}

/**
 * The wanted text files of a ZIP archive, with their paths in it. Nothing is unpacked before its stated size was counted,
 * and an entry that is larger than it states is cut there. Throws UnreadableArchive.
 */
export function unzipTexts(
  archive: Uint8Array,
  { wanted, mostFiles, mostBytes, largestFile = mostBytes }: ArchiveBounds,
): TextFile[] {
  let files = 0;
  let bytes = 0;
  try {
    const unpacked = unzipSync(archive, {
      filter({ name, originalSize }) {
        if (!wanted(name)) return false;
        files += 1;
        bytes += originalSize;
        if (files > mostFiles || originalSize > largestFile || bytes > mostBytes)
          throw new UnreadableArchive(true);
        return true;
      },
    });
    return Object.entries(unpacked).map(([name, content]) => ({ name, text: strFromU8(content) }));
  } catch (error) {
    throw error instanceof UnreadableArchive ? error : new UnreadableArchive(false, { cause: error });
  }
}

/** A ZIP archive of these files: the same for the same files, whenever it is made. */
export const zipTexts = (files: readonly TextFile[]): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])), {
    mtime: new Date("1980-01-02T00:00:00Z"),
  });
