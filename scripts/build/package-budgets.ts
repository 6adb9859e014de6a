/** What was found of one function. Sizes are zipped; inputs are what esbuild put into the bundle, the largest first. */
export type FunctionReport = {
  name: string;
  zipBytes: number;
  /** Of these bytes, what the function only hands out: the documentation's scripts. */
  servedBytes: number;
  /** Milliseconds of a processor that its import takes, without Node's own start: the median of several processes. */
  importMs: number;
  inputs: { path: string; bytes: number }[];
};

/** They carry the clients of the LLM, and no other function does. None is loaded when they start. */
const withLlmClient = ["chat", "admin", "warming", "trials"];

/** They carry the client of the file store, and load it when they first ask it. */
const withStoreClient = ["files", "assessments", "universities", "cartridges"];

/** That client, and beside the handler what reads PDF and DOCX, in a thread. */
const withDocumentReaders = ["file-checks"];

/** It carries what writes PDF, and loads it for a certificate. Each function carries both drivers of the database. */
const withPdfWriter = ["certificates"];

const kilobyte = 1024;
const budgets = { bytes: 400 * kilobyte, timesTheBaseline: 3 };

const bytesOf: Record<string, number> = {
  ...Object.fromEntries(withLlmClient.map((name) => [name, 900 * kilobyte])),
  ...Object.fromEntries(withStoreClient.map((name) => [name, 650 * kilobyte])),
  ...Object.fromEntries(withPdfWriter.map((name) => [name, 450 * kilobyte])),
  ...Object.fromEntries(withDocumentReaders.map((name) => [name, 1250 * kilobyte])),
};

/** What a function is over, a line each: the size of its code, and its import. */
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
