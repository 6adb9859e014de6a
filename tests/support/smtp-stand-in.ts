import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
// biome-ignore lint/plugin: the bench gives its mail server a speed
import { setTimeout as sleep } from "node:timers/promises";

type Account = { user: string; password: string };

/**
 * A local SMTP server with the commands that a client needs. Records mail from any client, or only from
 * signed-in ones. Takes `mailMs` milliseconds per mail.
 */
export async function startSmtpStandIn(account?: Account, mailMs = 0) {
  const mails: string[] = [];
  const keep = async (mail: string) => {
    await sleep(mailMs);
    mails.push(mail);
  };
  const server = createServer((socket) => converse(socket, account, keep));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

const signedIn = ({ user, password }: Account) => Buffer.from(`\0${user}\0${password}`).toString("base64");

function converse(socket: Socket, account: Account | undefined, keep: (mail: string) => Promise<void>): void {
  let buffer = "";
  let isData = false;
  const say = (line: string) => socket.write(`${line}\r\n`);
  say("220 stand-in");
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    buffer += bytes.toString();
    for (;;) {
      const end = buffer.indexOf(isData ? "\r\n.\r\n" : "\r\n");
      if (end < 0) return;
      const part = buffer.slice(0, end);
      buffer = buffer.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        void keep(part).then(() => say("250 kept"));
      } else if (account && /^ehlo/i.test(part)) {
        say("250-stand-in");
        say("250 AUTH PLAIN");
      } else if (account && /^auth plain /i.test(part)) {
        say(part.endsWith(` ${signedIn(account)}`) ? "235 come in" : "535 not you");
      } else if (/^data/i.test(part)) {
        isData = true;
        say("354 go on");
      } else if (/^quit/i.test(part)) {
        say("221 bye");
        socket.end();
      } else say("250 ok");
    }
  });
}
