import { describe, expect, it } from "vitest";
import { openSession } from "../session.ts";

const { column, rows, value } = openSession();

const at = "2026-03-10T12:00:00Z";
const request = `'{"at": "${at}", "id": "the-request", "from": "203.0.113.7"}'::jsonb`;

const person = () => value("select min(id) from users");
const version = (id: unknown) => value(`select token_version from users where id = ${id}`);
const addressOf = (id: unknown) => value(`select email from users where id = ${id}`);
const actions = async () =>
  (await rows("select action from audit_events order by id")).map(({ action }) => action);
const token = async (id: unknown, hash: string, purpose: string, email = "email") =>
  rows(`insert into one_time_tokens (user_id, purpose, token_hash, email, expires_at)
        select id, '${purpose}', '${hash}', ${email}, '${at}'::timestamptz + interval '1 hour' from users where id = ${id}`);

describe("tokens", () => {
  it("revoke_tokens_and_secret_links increases the version, and voids mailed and queued tokens", async () => {
    const id = await person();
    await token(id, "a", "password_reset");
    await rows(`select queue_mail('change_email', 'new@example.edu', ${id}, ${request})`);
    expect(await value(`select revoke_tokens_and_secret_links(${id})`)).toBe(1);
    expect(await rows("select from one_time_tokens union all select from mail_outbox")).toEqual([]);
    expect(await value(`select revoke_tokens_and_secret_links(${id})`)).toBe(2);
  });

  it("consume_one_time_token takes a token that is good, once", async () => {
    const id = await person();
    await token(id, "a", "password_reset");
    expect(await rows(`select from consume_one_time_token('a', '{verify_email}', '${at}')`)).toEqual([]);
    expect(
      await rows(`select from consume_one_time_token('a', '{password_reset}', '2026-03-10T13:00:00Z')`),
    ).toEqual([]);
    expect(await rows(`select from consume_one_time_token('a', '{password_reset}', '${at}')`)).toHaveLength(
      1,
    );
    expect(await rows(`select from consume_one_time_token('a', '{password_reset}', '${at}')`)).toEqual([]);
  });

  it("sent_at reads the moment of a request", async () => {
    expect(await value(`select request_time(${request}) = '${at}'`)).toBe(true);
  });
});

describe("passwords", () => {
  it("change_password rejects an outdated former hash", async () => {
    const id = await person();
    expect(await value(`select change_password(${id}, null, 'one', ${request})`)).toBe(1);
    expect(await value(`select change_password(${id}, null, 'two', ${request})`)).toBeNull();
    expect(await value(`select password_hash from users where id = ${id}`)).toBe("one");
  });

  it("queue_password_reset_mail queues one mail a minute for an address with an account; reset_password uses its token", async () => {
    const id = await person();
    const ask = async (address: unknown) =>
      rows(`select queue_password_reset_mail('${address}', 5, ${request})`);
    for (const _ of [1, 2]) await ask(await addressOf(id));
    await ask("nobody@example.edu");
    expect(await rows("select address from mail_outbox")).toEqual([{ address: await addressOf(id) }]);
    await token(id, "a", "password_reset");
    expect(await value(`select reset_password('a', 'hash', ${request})`)).toBe(true);
    expect(await value(`select reset_password('a', 'hash', ${request})`)).toBe(false);
    expect(await version(id)).toBe(1);
  });

  it("queue_password_reset_mail has something to commit for every address, and waits for a concurrent request for it", async () => {
    await rows(`select queue_password_reset_mail('nobody@example.edu', 5, ${request})`);
    expect(await value("select pg_current_xact_id_if_assigned() is not null")).toBe(true);
    const held = "select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()";
    expect(await value(held)).toBe(1);
  });

  it("next_allowed_mail_at and queue_confirmation_mail leave a minute, and an hour after the tenth before", async () => {
    const id = await person();
    const next = (person: unknown = null) =>
      value(
        `select to_char(next_allowed_mail_at('verify_email', 'new@example.edu', ${person}, '${at}'), 'HH24:MI')`,
      );
    expect(await next()).toBe("12:00");
    await rows(`select queue_confirmation_mail('verify_email', 'new@example.edu', ${id}, 5, ${request})`);
    expect(await next()).toBe("12:01");
    await rows(`insert into mail_outbox (kind, address, created_at, due_at, ended_at)
                select 'verify_email', 'new@example.edu', '${at}', '${at}'::timestamptz - n * interval '5 minutes', '${at}'
                from generate_series(1, 9) as n`);
    expect(await next()).toBe("12:15");
    await rows(`select queue_confirmation_mail('verify_email', 'other@example.edu', ${id}, 5, ${request})`);
    expect(await rows("select address from mail_outbox where ended_at is null")).toEqual([
      { address: "other@example.edu" },
    ]);
  });

  it("count_sign_in_attempt_returning_lockout admits as many as a window allows", async () => {
    const attempt = () =>
      value(
        `select count_sign_in_attempt_returning_lockout('account', 2, interval '10 minutes', '${at}') is null`,
      );
    expect([await attempt(), await attempt(), await attempt()]).toEqual([true, true, false]);
    await rows(`insert into login_failures (account_hash, failures, until)
                select 'stranger ' || n, 1, '${at}'::timestamptz - n * interval '1 second' from generate_series(0, 4) as n`);
    await attempt();
    expect(await column("select account_hash from login_failures order by 1")).toEqual([
      "account",
      "stranger 0",
      "stranger 1",
    ]);
  });
});

describe("addresses", () => {
  it("confirm_email makes the token's address the account's", async () => {
    const id = await person();
    await token(id, "a", "change_email", "'new@example.edu'");
    for (const [as, wanted] of [
      ["null", "null"],
      [`${id} + 1`, "null"],
      ["null", "'hash'"],
    ])
      expect(await value(`select confirm_email('a', ${request}, ${as}, ${wanted})`)).toBe(false);
    expect(await value(`select confirm_email('a', ${request}, ${id})`)).toBe(true);
    expect(await addressOf(id)).toBe("new@example.edu");
    expect(await value(`select confirm_email('a', ${request}, ${id})`)).toBe(false);
  });

  it("link_identity_or_create_account takes over an account with an unverified address, and no other", async () => {
    const id = await person();
    await rows(`update users set password_hash = 'kept', email_verified_at = null where id = ${id}`);
    const link = async (provider: string) =>
      rows(
        `select * from link_identity_or_create_account('${provider}', 'subject', '${await addressOf(id)}', 'Name', ${request})`,
      );
    expect(await link("campus")).toEqual([{ id, token_version: 1 }]);
    expect(await value(`select password_hash from users where id = ${id}`)).toBeNull();
    await rows(`update users set password_hash = 'kept' where id = ${id}`);
    expect(await link("other")).toEqual([{ id, token_version: 1 }]);
    expect(await value(`select password_hash from users where id = ${id}`)).toBe("kept");
    expect(await actions()).toEqual(["account.taken_over"]);
  });
});

describe("accounts", () => {
  it("set_account_active ends tokens when it switches an account off, and notes both ways", async () => {
    const id = await person();
    await rows(`select from set_account_active(${id}, false, null, ${request})`);
    await rows(`select from set_account_active(${id}, false, null, ${request})`);
    await rows(`select from set_account_active(${id}, true, null, ${request})`);
    expect(await version(id)).toBe(1);
    expect(await actions()).toEqual(["account.deactivated", "account.reactivated"]);
  });

  it("known_people has the universities of roles and of enrollments", async () => {
    const known = await rows(`
      select count(*)::int as missing from (
        select user_id, university_id from user_university_roles union select user_id, university_id from enrollments
      ) as one where not exists (select from known_people as k where k.user_id = one.user_id and k.university_id = one.university_id)`);
    expect(known).toEqual([{ missing: 0 }]);
  });

  it("erase_account takes the version that its caller saw", async () => {
    const id = await person();
    expect(await rows(`select from nodes_only_visited_by_person(${id})`)).toEqual([]);
    expect(await rows(`select from generations_containing_words_of_person(${id}, '{}')`)).toEqual([]);
    expect(await value(`select lock_nodes_only_visited_by_person(${id})`)).toEqual([]);
    expect(await value(`select erase_account(${id}, 7, false, ${request})`)).toBe(false);
    expect(await value(`select erase_account(${id}, 0, false, ${request})`)).toBe(true);
    expect(
      await rows(`select email, full_name, erased_at is not null as is_erased from users where id = ${id}`),
    ).toEqual([{ email: null, full_name: "", is_erased: true }]);
  });
});

describe("the audit log", () => {
  it("refuse_change_of_audit_events rejects every change but the removal of a person", async () => {
    const id = await person();
    await rows(`select audit('role.granted', ${id}, null, null, '{}', ${request})`);
    await rows("update audit_events set actor_id = null, from_address = null");
    await rows("savepoint before");
    for (const statement of ["update audit_events set actor_id = 1", "delete from audit_events"]) {
      await expect(rows(statement)).rejects.toThrow("neither changed nor deleted");
      await rows("rollback to savepoint before");
    }
  });

  it("prune_audit_events deletes older events, a few at a time, and no others can be deleted", async () => {
    for (const at of ["2024-01-01", "2024-01-02", "2026-03-01"])
      await rows(`select audit('role.granted', null, null, null, '{}', '{"at": "${at}T00:00:00Z"}')`);
    const forget = () => value("select prune_audit_events('2025-01-01', 1)");
    expect([await forget(), await forget(), await forget()]).toEqual([1, 1, 0]);
    expect(await rows("select from audit_events")).toHaveLength(1);
    await rows("savepoint before");
    await expect(rows("delete from audit_events")).rejects.toThrow("neither changed nor deleted");
    await rows("rollback to savepoint before");
  });
});
