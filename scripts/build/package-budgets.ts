import type { FunctionSize } from "./package-sizes.ts";

/** The only functions with LLM clients, which load on first use. */
const withLlmClient = ["chat", "admin", "warming", "trials"];

/** Functions with the file store's client, which loads on first use. */
const withStoreClient = ["files", "content", "assessments", "universities", "cartridges", "scorm"];

/** Functions with the store's client and, in a worker thread, the readers of PDF and DOCX. */
const withDocumentReaders = ["file-checks"];

/** Functions with the PDF writer, which loads on first use. All functions have both database drivers. */
const withPdfWriter = ["certificates"];

/** The function with the SAML library, which loads with the first request for a provider. */
const withSamlLibrary = ["saml"];

const kilobyte = 1024;
const defaultPackageBytes = 400 * kilobyte;
const maxImportTimeRatio = 3;

const bytesOf: Record<string, number> = {
  ...Object.fromEntries(withLlmClient.map((name) => [name, 900 * kilobyte])),
  ...Object.fromEntries(withStoreClient.map((name) => [name, 650 * kilobyte])),
  ...Object.fromEntries([...withPdfWriter, ...withSamlLibrary].map((name) => [name, 450 * kilobyte])),
  ...Object.fromEntries(withDocumentReaders.map((name) => [name, 1250 * kilobyte])),
};

/** States that a function's package is too large, without the bytes that it only serves. */
export function sizeFault({ name, zipBytes, servedBytes }: FunctionSize): string | undefined {
  const [bytes, most] = [zipBytes - servedBytes, bytesOf[name] ?? defaultPackageBytes];
  return bytes > most ? `${name} has ${bytes} bytes, over its budget of ${most}` : undefined;
}

/** States that importing a function takes too long, relative to the baseline on the same machine. */
export function importFault(name: string, importMs: number, baselineMs: number): string | undefined {
  const times = importMs / baselineMs;
  return times > maxImportTimeRatio
    ? `${name} is imported in ${times.toFixed(1)} times the baseline, over its budget of ${maxImportTimeRatio}`
    : undefined;
}
