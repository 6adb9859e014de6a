/** Measurements of a function. Sizes are zipped; inputs are the bundle's sources, largest first. */
export type FunctionReport = {
  name: string;
  zipBytes: number;
  /** The part of these bytes that the function only serves: the documentation's scripts. */
  servedBytes: number;
  /** CPU milliseconds of importing it, without Node's start; the median of several processes. */
  importMs: number;
  inputs: { path: string; bytes: number }[];
};

/** The only functions with LLM clients, which load on first use. */
const withLlmClient = ["chat", "admin", "warming", "trials"];

/** Functions with the file store's client, which loads on first use. */
const withStoreClient = ["files", "assessments", "universities", "cartridges"];

/** Functions with that client and, in a worker thread, the readers of PDF and DOCX. */
const withDocumentReaders = ["file-checks"];

/** Functions with the PDF writer, which loads on first use. All functions have both database drivers. */
const withPdfWriter = ["certificates"];

const kilobyte = 1024;
const budgets = { bytes: 400 * kilobyte, timesTheBaseline: 3 };

const bytesOf: Record<string, number> = {
  ...Object.fromEntries(withLlmClient.map((name) => [name, 900 * kilobyte])),
  ...Object.fromEntries(withStoreClient.map((name) => [name, 650 * kilobyte])),
  ...Object.fromEntries(withPdfWriter.map((name) => [name, 450 * kilobyte])),
  ...Object.fromEntries(withDocumentReaders.map((name) => [name, 1250 * kilobyte])),
};

/** A function's exceeded budgets, one per line: code size and import time. */
export function budgetsBroken(report: FunctionReport, baselineMs: number): string[] {
  const { name, zipBytes, servedBytes, importMs } = report;
  const largest = bytesOf[name] ?? budgets.bytes;
  const bytes = zipBytes - servedBytes;
  const times = importMs / baselineMs;
  return [
    bytes > largest && `${name} has ${bytes} bytes, over its budget of ${largest}`,
    times > budgets.timesTheBaseline &&
      `${name} is imported in ${times.toFixed(1)} times the baseline, over its budget of ${budgets.timesTheBaseline}`,
  ].filter((line) => line !== false);
}
