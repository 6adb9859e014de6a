import { neonConfig } from "@neondatabase/serverless";

/** `neonConfig` is the class of the package's sockets; its settings are an instance's own as well. */
export class TunnelSocket extends neonConfig {
  readonly #host: string;
  #isClosed = false;
  #wasOpen = false;
  #waiting: Uint8Array[] = [];

  /** `tunnel` is the address of the WebSocket: `wss://host/v2`. */
  constructor(tunnel: string) {
    super();
    const { host, pathname, protocol } = new URL(tunnel);
    this.#host = host;
    // A text would be sent the database's own address as well.
    this.wsProxy = () => `${host}${pathname}`;
    this.useSecureWebSocket = protocol === "wss:";
    this.coalesceWrites = false;
    this.once("connect", () => {
      this.#wasOpen = true;
    });
  }

  /** The messages of one statement leave as one. The package's own way waits for a timer. */
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

  /** A WebSocket's event does not say what happened, and comes again when a socket is closed that failed. */
  override emit(event: string | symbol, ...args: unknown[]): boolean {
    if (this.#isClosed && (event === "error" || event === "close")) return false;
    if (event === "close") this.#isClosed = true;
    if (event !== "error" || args[0] instanceof Error) return super.emit(event, ...args);
    const what = this.#wasOpen ? "The connection was terminated" : "Cannot connect";
    const cause = Reflect.get(Object(args[0]), "error");
    return super.emit(event, new Error(`${what}: ${this.#host}`, { cause }));
  }

  /** What waits leaves before the WebSocket is closed: PostgreSQL is told that the session ends. */
  override end(...args: Parameters<neonConfig["end"]>): this {
    this.#send();
    return super.end(...args);
  }

  /** Does not wait for the other side to say goodbye: it may never answer. */
  override destroy(error?: Error): this {
    if (this.#isClosed) return this;
    super.destroy();
    if (error) this.emit("error", error);
    this.emit("close");
    return this;
  }
}
