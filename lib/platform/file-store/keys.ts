import { randomBytes } from "node:crypto";

/** For signed uploads. Keys have 128 random bits and no user input. */
export const newUploadKey = (): string => `uploads/${randomBytes(16).toString("hex")}`;

/** Never signed for writing. */
export const newObjectKey = (): string => `objects/${randomBytes(16).toString("hex")}`;

export const isFileStoreKey = (text: string): boolean => /^(uploads|objects)\/[0-9a-f]{32}$/.test(text);
