import { fileReader } from "../readers/reading-threads.ts";
import type { DescribedProvider, MetadataGiven } from "./metadata.ts";

const metadataReader = new URL("./metadata-reader.ts", import.meta.url);

/** Reads metadata in a thread of its own, as `readMetadata` says, for that person: throws its 400, and those of the threads. */
export const readMetadataInThread = (given: MetadataGiven, person: number): Promise<DescribedProvider> =>
  fileReader.read<DescribedProvider>(metadataReader, given, person);
