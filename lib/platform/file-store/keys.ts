import { randomBytes } from "node:crypto";

/** A key for signed uploads: `uploads/` and 128 random bits. Keys contain no user input. */
export const uploadKey = (): string => `uploads/${randomBytes(16).toString("hex")}`;

/** A key that is never signed for writing: `objects/` and 128 random bits. */
export const objectKey = (): string => `objects/${randomBytes(16).toString("hex")}`;

export const isKey = (text: string): boolean => /^(uploads|objects)\/[0-9a-f]{32}$/.test(text);

export const isUploadKey = (key: string): boolean => key.startsWith("uploads/");
