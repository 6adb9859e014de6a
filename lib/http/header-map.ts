export type ReplyHeaders = Pick<Headers, "get" | "has" | "set" | "append">;

/**
 * Headers by lowercase name. A `Response` validates, copies and sorts its headers on each change. Does not
 * support cookies.
 */
export class HeaderMap implements ReplyHeaders {
  readonly values: Record<string, string> = {};

  constructor(headers: Readonly<Record<string, string>>) {
    for (const name in headers) this.set(name, headers[name] ?? "");
  }

  get(name: string): string | null {
    return this.values[name.toLowerCase()] ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  set(name: string, value: string): void {
    this.values[name.toLowerCase()] = value;
  }

  append(name: string, value: string): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${value}`);
  }
}
