import { Duplex } from "node:stream";

type Callback = (error?: Error | null) => void;

/**
 * What `pg` takes for a socket, through a WebSocket: PostgreSQL's protocol, in messages that begin and end where they
 * like. `address` is `wss://…`. Errors say what happened to the connection, of which a WebSocket's event says nothing.
 */
export class WebSocketStream extends Duplex {
  readonly #address: string;
  #socket: WebSocket | undefined;

  constructor(address: string) {
    super({ allowHalfOpen: false });
    this.#address = address;
  }

  /** As a socket's, but that the address is known. */
  connect(): this {
    try {
      this.#open();
    } catch (cause) {
      this.destroy(new Error(`Cannot connect to ${this.#address}`, { cause }));
    }
    return this;
  }

  #open(): void {
    const socket = new WebSocket(this.#address);
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    let wasOpen = false;
    socket.onopen = () => {
      wasOpen = true;
      this.emit("connect");
    };
    socket.onmessage = ({ data }) => {
      if (!this.destroyed) this.push(Buffer.from(data));
    };
    socket.onerror = () => {
      const what = wasOpen ? "The connection was terminated" : "Cannot connect";
      this.destroy(new Error(`${what}: ${new URL(this.#address).host}`));
    };
    socket.onclose = () => {
      if (!this.destroyed) this.push(null);
    };
  }

  /** Nothing is held back: neither is there a timer to wait for. */
  setNoDelay(): this {
    return this;
  }

  /** The other end's affair, as with every WebSocket. */
  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: Callback): void {
    this.#socket?.send(chunk as Uint8Array<ArrayBuffer>);
    done();
  }

  /** What was corked leaves as one message. */
  override _writev(chunks: { chunk: Buffer }[], done: Callback): void {
    this.#socket?.send(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    done();
  }

  override _final(done: Callback): void {
    this.#socket?.close();
    done();
  }

  override _destroy(error: Error | null, done: Callback): void {
    this.#socket?.close();
    done(error);
  }
}
