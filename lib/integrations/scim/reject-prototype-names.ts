import { ScimError, type ScimType } from "./protocol.ts";

/** A library that writes to an object under such a name changes all objects. */
const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));

/** Throws SCIM's 400. Quoted texts are values. */
export function ensureNoPrototypeNames(path: string, type: ScimType): void {
  const names = path.replaceAll(/"(?:[^"\\]|\\[\s\S])*(?:"|\\?$)/g, "").match(/\w+/g) ?? [];
  const found = names.find((name) => inherited.has(name));
  if (found !== undefined) throw new ScimError(400, `'${found}' is no attribute`, type);
}
