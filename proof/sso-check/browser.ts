/** A browser's cookies during one sign-in, shared by all local hosts. */
export class CookieBrowser {
  readonly #jar = new Map<string, string>();

  /** A copy with separate cookies. */
  copy(): CookieBrowser {
    const other = new CookieBrowser();
    for (const [name, value] of this.#jar) other.#jar.set(name, value);
    return other;
  }

  /** Requests an address without following redirects, and stores its cookies. */
  async ask(address: string, form?: Record<string, string>): Promise<{ answer: Response; text: string }> {
    const cookie = [...this.#jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const answer = await fetch(address, {
      redirect: "manual",
      headers: { ...(cookie && { cookie }) },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value) this.#jar.set(name, value);
      else this.#jar.delete(name);
    }
    return { answer, text: await answer.text() };
  }
}

const unescaped = (text: string): string =>
  text
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll("&#43;", "+")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");

/** A form's target and hidden fields. */
export function parseHiddenForm(html: string): { action: string; fields: Record<string, string> } {
  const action = unescaped(/<form[^>]* action="([^"]*)"/i.exec(html)?.[1] ?? "");
  const inputs = [...html.matchAll(/<input[^>]* name="([^"]*)"[^>]* value="([^"]*)"/gi)];
  const fields = inputs.map(([, name = "", value = ""]) => [name, unescaped(value)]);
  return { action, fields: Object.fromEntries(fields) };
}
