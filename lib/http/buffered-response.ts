import { HeaderMap } from "./header-map.ts";

/** A complete body, as almost all operations return. */
export class BufferedResponse {
  body: string | Uint8Array<ArrayBuffer> | null;
  readonly status: number;
  readonly headers: HeaderMap;

  constructor(
    body: BufferedResponse["body"],
    status: number,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.body = body;
    this.status = status;
    this.headers = new HeaderMap(headers);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  toResponse(): Response {
    return new Response(this.body, { status: this.status, headers: this.headers.values });
  }
}
