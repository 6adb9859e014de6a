const named: Record<string, string> = { quot: '"', apos: "'", lcub: "{", rcub: "}", colon: ":", amp: "&" };

function decodeEntity(whole: string, name: string): string {
  if (!name.startsWith("#")) return named[name.toLowerCase()] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code > 31 && code < 0x10000 ? String.fromCharCode(code) : whole;
}

const entity = /&(?:amp;)?(#\d{2,5}|#x[\da-f]{2,4}|quot|apos|lcub|rcub|colon);/gi;
const invisible = /\p{Cf}|\u034F|[\uFE00-\uFE0F]/gu;

/**
 * For the search of field names: without HTML and JSON escapes, invisible characters and wide forms. Text in
 * strings may change.
 */
export const normalizeTextForFields = (text: string): string =>
  usual.test(text) ? text : withoutDisguise(text);

const usual = /^[\t\n\r\x20-%\x27-[\]-~]*$/;

const withoutDisguise = (text: string): string =>
  text
    .replaceAll(entity, decodeEntity)
    .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\{1,8}(?=["'])/g, "")
    .replaceAll(invisible, "")
    .normalize("NFKC");
