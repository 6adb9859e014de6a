export const readFilesField = (fields: FormData, name: string): File[] =>
  fields.getAll(name).filter((file): file is File => file instanceof File && file.size > 0);

export const findZipArchive = (files: File[]): File | undefined =>
  files.find(({ name }) => name.toLowerCase().endsWith(".zip"));

/** The file's bytes, which the service decodes. */
export const fileToBase64Object = async (file: File): Promise<{ base64: string }> => ({
  base64: await readFileAsBase64(file),
});

export async function readFileAsBase64(file: File): Promise<string> {
  let text = "";
  for (const byte of new Uint8Array(await file.arrayBuffer())) text += String.fromCharCode(byte);
  return btoa(text);
}
