/** What tells the headers of an answer, or sets them: those of a `Response`, or plain ones. */
export type ReplyHeaders = Pick<Headers, "get" | "has" | "set" | "append">;

/**
 * Headers by their names in lowercase, as they are on the wire, in a plain object until all of them are known: those of
 * a `Response` are checked, copied and sorted at each step. None of them is a cookie's.
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
