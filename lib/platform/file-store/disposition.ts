/**
 * RFC 6266: the name in UTF-8, with an ASCII fallback. Removes control characters, slashes and bidirectional
 * marks, so `exe.‮fdp` shows its real name.
 */
export function contentDispositionHeader(name: string, { inline }: { inline: boolean }): string {
  const shown = name.toWellFormed().replaceAll(hidden, "").replaceAll(/[/\\]/g, "_").trim() || "file";
  const ascii = shown.replaceAll(/[^ !#-&(-.0-9:;=@-[\]^-~]/g, "_").replaceAll("%", "_");
  const encoded = encodeURIComponent(shown).replaceAll(/['()*]/g, percentEncoded);
  return `${inline ? "inline" : "attachment"}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

const hidden = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;

const percentEncoded = (sign: string): string => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
