import { fileReaderThreadPool } from "../../platform/readers/reading-threads.ts";
import type { MetadataInput, ProviderMetadata } from "./metadata.ts";

const metadataReader = new URL("./metadata-reader.ts", import.meta.url);

/** In a worker thread for that person. Throws `parseProviderMetadata`'s 400 and the thread pool's errors. */
export const parseProviderMetadataInThread = (
  given: MetadataInput,
  person: number,
): Promise<ProviderMetadata> => fileReaderThreadPool.read<ProviderMetadata>(metadataReader, given, person);
