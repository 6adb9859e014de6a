-- What stored answers are kept under, and what makes two questions one. Nothing here reads a table.

-- The fingerprint that an answer is kept under: of what the tutor is told of the item, and where its prompt names what
-- stands around it, of that too. A session of before those were told apart has `former` alone.
create or replace function answer_key(item text, surroundings text, former text, uses_surroundings boolean)
returns text language sql immutable as $$
  select case when item is null then former when not uses_surroundings then item else sha256_hex(item || surroundings) end
$$;

-- What two questions have in common that are the same to a learner: id, text, and each option's id and text, in any order.
create or replace function question_identity(question jsonb) returns text language plpgsql immutable as $$
begin
  if question is null then return ''; end if;
  return sha256_hex(normalize(jsonb_build_array(
    btrim(question ->> 'questionId', E' \t\r\n'), btrim(question ->> 'question', E' \t\r\n'),
    (select jsonb_object_agg(btrim(option ->> 'id', E' \t\r\n'), btrim(option ->> 'text', E' \t\r\n'))
     from jsonb_array_elements(question -> 'options') as option))::text, nfc));
end $$;

create or replace function is_same_question(question jsonb, other jsonb) returns boolean language sql immutable as $$
  select question_identity(question) = question_identity(other)
$$;

-- Whether an answer in its normal form is one that the question offers: an option's id, or its text.
create or replace function question_offers(question jsonb, message text) returns boolean language plpgsql immutable as $$
declare
  said jsonb;
begin
  if question is null or not starts_with(message, '{') then return false; end if;
  said := message::jsonb;
  return said ->> 'questionId' = question ->> 'questionId' and exists (
    select from jsonb_array_elements(question -> 'options') as option
    where said ->> 'answer' in (option ->> 'id', option ->> 'text'));
end $$;

-- Those of a question's answers, as the tree keeps them, whose option has the same id and text in another question.
create or replace function answers_in_common(question jsonb, other jsonb, choices jsonb) returns text[]
language sql immutable as $$
  select coalesce(array_agg(distinct choice.value), '{}')
  from jsonb_each_text(choices) as choice
  join jsonb_array_elements(question -> 'options') as option
    on option ->> 'id' = case when starts_with(choice.value, '{') then choice.value::jsonb ->> 'answer' end
  join jsonb_array_elements(other -> 'options') as same on same ->> 'id' = option ->> 'id'
   and normalize(btrim(same ->> 'text', E' \t\r\n'), nfc) = normalize(btrim(option ->> 'text', E' \t\r\n'), nfc)
  where question ->> 'questionId' = other ->> 'questionId'
$$;
