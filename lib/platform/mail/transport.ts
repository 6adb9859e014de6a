import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createTransport } from "nodemailer";
import type { Config } from "../../config.ts";
import type { MailTransport } from "./message.ts";

type Settings = Pick<Config, "SMTP_URL" | "MAIL_FROM" | "MAIL_FOLDER" | "ENVIRONMENT" | "onLambda">;

/** SMTP if configured. Otherwise a local folder, or undefined on Lambda and in production. */
export function chooseMailTransport(config: Settings): MailTransport | undefined {
  if (config.SMTP_URL) return smtpTransport(config.SMTP_URL, config.MAIL_FROM);
  return config.onLambda || config.ENVIRONMENT === "production"
    ? undefined
    : folderTransport(config.MAIL_FOLDER, config.MAIL_FROM);
}

/** Per step, shorter than the lease and a function's time. */
const timeouts = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 };

function smtpTransport(url: string, from: string): MailTransport {
  const transport = createTransport({ url, ...timeouts, pool: true, maxConnections: 1 });
  return {
    async send(message) {
      await transport.sendMail({ from, ...message });
      return undefined;
    },
    close: () => transport.close(),
  };
}

/** Sends nothing. Rejects with nodemailer's error. */
export async function verifyMailServerLogin(url: string): Promise<void> {
  const transport = createTransport({ url, ...timeouts });
  await transport.verify().finally(() => transport.close());
}

function folderTransport(folder: string, from: string): MailTransport {
  const transport = createTransport({ streamTransport: true, buffer: true });
  return {
    async send(message) {
      const { message: written } = await transport.sendMail({ from, ...message });
      await mkdir(folder, { recursive: true });
      const file = path.join(folder, `${Date.now()}-${crypto.randomUUID().slice(0, 8)}.eml`);
      // Its links are as sensitive as passwords.
      await writeFile(file, written as Buffer, { mode: 0o600 });
      return file;
    },
    close: () => transport.close(),
  };
}
