/** A small file that an import reads without a fault. */
export type SampleFile = {
  name: string;
  format: string;
  type: string;
  content: string | Uint8Array<ArrayBuffer>;
};

export type TextSample = SampleFile & { content: string };
