import { neonConfig } from "@neondatabase/serverless";

/** The package's socket class. Its settings also work per instance. */
export class TunnelSocket extends neonConfig {
  readonly #host: string;
  #isClosed = false;
  #wasOpen = false;
  #waiting: Uint8Array[] = [];

  constructor(tunnel: string) {
    super();
    const { host, pathname, protocol } = new URL(tunnel);
    this.#host = host;
    // The package would append the database's address to a string.
    this.wsProxy = () => `${host}${pathname}`;
    this.useSecureWebSocket = protocol === "wss:";
    this.coalesceWrites = false;
    this.once("connect", () => {
      this.#wasOpen = true;
    });
  }

  /** Sends one statement's messages together. The package waits for a timer. */
  override rawWrite(data: Uint8Array): void {
    if (this.#waiting.length === 0) queueMicrotask(() => this.#send());
    this.#waiting.push(data);
  }

  #send(): void {
    if (this.#waiting.length === 0) return;
    const data = Buffer.concat(this.#waiting);
    this.#waiting = [];
    super.rawWrite(data);
  }

  /** A WebSocket's event has no details and repeats when a failed socket is closed. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (this.#isClosed && (event === "error" || event === "close")) return false;
    if (event === "close") this.#isClosed = true;
    if (event !== "error" || args[0] instanceof Error) return super.emit(event, ...args);
    const what = this.#wasOpen ? "The connection was terminated" : "Cannot connect";
    const cause = Reflect.get(Object(args[0]), "error");
    return super.emit(event, new Error(`${what}: ${this.#host}`, { cause }));
  }

  /** PostgreSQL must receive the end of the session before the socket closes. */
  override end(...args: Parameters<neonConfig["end"]>): this {
    this.#send();
    return super.end(...args);
  }

  /** The peer's close frame may never come. */
  override destroy(error?: Error): this {
    if (this.#isClosed) return this;
    super.destroy();
    if (error) this.emit("error", error);
    this.emit("close");
    return this;
  }
}
