-- Keys of stored answers, and the identity of questions. Nothing here reads a table.

-- Includes the item's surroundings if the prompt refers to them.
create or replace function effective_content_fingerprint(item text, surroundings text, uses_surroundings boolean)
returns text language sql immutable as $$
  select case when uses_surroundings then sha256_hex(item || surroundings) else item end
$$;

-- Null without a message. Two generated columns use this function: its result must never change.
create or replace function node_key(
  content_item_id integer, parent_id bigint, message text, prompt_name text, prompt_version integer, model text,
  prompt_fingerprint text, content_fingerprint text
) returns bytea language plpgsql immutable parallel safe as $$
begin
  -- Fingerprints have no blanks; other texts are quoted or last. Two addresses therefore never give the same text.
  return sha256(convert_to(
    content_item_id || ' ' || coalesce(parent_id, 0) || ' ' || prompt_version || ' ' || prompt_fingerprint || ' '
    || content_fingerprint || ' ' || quote_literal(prompt_name) || ' ' || quote_literal(model) || ' ' || message, 'UTF8'));
end $$;

create or replace function is_start_message(content text) returns boolean language sql immutable as $$
  select btrim(content, E' \t\n\r\f\u000B\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000\uFEFF') = 'Start.'
$$;

-- The id, the text, and each option's id and text, in any order.
create or replace function question_identity_hash(question jsonb) returns text language plpgsql immutable as $$
begin
  if question is null then return ''; end if;
  return sha256_hex(normalize(jsonb_build_array(
    btrim(question ->> 'questionId', E' \t\r\n'), btrim(question ->> 'question', E' \t\r\n'),
    (select jsonb_object_agg(btrim(option ->> 'id', E' \t\r\n'), btrim(option ->> 'text', E' \t\r\n'))
     from jsonb_array_elements(question -> 'options') as option))::text, nfc));
end $$;

create or replace function is_same_question(question jsonb, other jsonb) returns boolean language sql immutable as $$
  select question_identity_hash(question) = question_identity_hash(other)
$$;

-- Names answers by option id, as the tree stores them. The service compares free text.
create or replace function answer_messages_of_options(question jsonb) returns setof text language sql immutable as $$
  select '{"answer":' || to_json(option ->> 'id') || ',"questionId":' || to_json(question ->> 'questionId') || '}'
  from jsonb_array_elements(question -> 'options') as option
$$;
