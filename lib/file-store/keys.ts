import { randomBytes } from "node:crypto";

/** A key to which an address may be signed: `uploads/` and 128 random bits. Keys hold nothing that people typed. */
export const uploadKey = (): string => `uploads/${randomBytes(16).toString("hex")}`;

/** A key to which no address to write is ever signed: `objects/` and 128 random bits. */
export const objectKey = (): string => `objects/${randomBytes(16).toString("hex")}`;

/** Whether it is a key of ours: what stands in an address may be anything. */
export const isKey = (text: string): boolean => /^(uploads|objects)\/[0-9a-f]{32}$/.test(text);

export const isUploadKey = (key: string): boolean => key.startsWith("uploads/");
