export const readFilesField = (fields: FormData, name: string): File[] =>
  fields.getAll(name).filter((file): file is File => file instanceof File && file.size > 0);

export const findZipArchive = (files: File[]): File | undefined =>
  files.find(({ name }) => name.toLowerCase().endsWith(".zip"));

/** The file's bytes, which the service decodes. */
export const bytesOf = async (file: File): Promise<{ base64: string }> => ({ base64: await base64Of(file) });

/** JSON is UTF-8, or UTF-16 with its byte order mark. Throws an error for anything else. */
export async function jsonTextOf(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const encoding = { "255,254": "utf-16le", "254,255": "utf-16be" }[bytes.slice(0, 2).join()] ?? "utf-8";
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

export async function base64Of(file: File): Promise<string> {
  let text = "";
  for (const byte of new Uint8Array(await file.arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}
