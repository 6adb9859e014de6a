/** What tells the headers of an answer, or sets them: those of a `Response`, or of a `WholeAnswer`. */
export type AnswerHeaders = Pick<Headers, "get" | "has" | "set" | "append">;

/**
 * An answer whose body is there as a whole, and its headers in a plain object until all of them are known: those of a
 * `Response` are checked, copied and sorted at each step. Nearly every operation gives one.
 */
export class WholeAnswer {
  body: string | Uint8Array<ArrayBuffer> | null;
  readonly status: number;
  readonly headers = new PlainHeaders();

  constructor(body: WholeAnswer["body"], status: number, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.status = status;
    for (const name in headers) this.headers.set(name, headers[name] ?? "");
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  toResponse(): Response {
    return new Response(this.body, { status: this.status, headers: this.headers.values });
  }
}

/** Headers by their names in lowercase, as they are on the wire. None of them is a cookie's. */
class PlainHeaders implements AnswerHeaders {
  readonly values: Record<string, string> = {};

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

/** An answer on its way out. */
export type Outgoing = Response | WholeAnswer;
