-- A small university with ids from 1 in each table: three people, three courses with an offering each.
insert into universities (name, short_code, country_id) select 'Analytical College', 'AC', id from countries where iso_code = 'GB';
insert into users (email, full_name, created_at) values
  ('ada@example.edu', 'Ada', '2026-03-01'), ('ben@example.edu', 'Ben', '2026-03-01'),
  ('cyd@example.edu', 'Cyd', '2026-03-02');
insert into subjects (name, code) values ('Mathematics', 'M'), ('Engineering', 'E');
insert into subjects (name, code, parent_subject_id) values ('Algebra', 'ALG', 1);
insert into courses (university_id, title, code, is_published, llm_model) values
  (1, 'Difference engines', 'DE', true, 'model'), (1, 'Analytical engines', 'AE', true, 'model'),
  (1, 'Looms', 'LO', true, 'model');
insert into modules (course_id, parent_module_id, module_type, title, sequence_index, is_published) values
  (1, null, 'unit', 'Columns', 1, true), (1, 1, 'topic', 'Carrying', 1, true), (1, 1, 'topic', 'Printing', 2, false);
insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
  select 2, 1, 1, content_types.id, title, rank, '{"body": "Nine and one"}'
  from content_types, (values (1, 'How a carry ripples'), (2, 'Why it waits')) as item (rank, title)
  where name = 'text' order by rank;
insert into course_offerings (course_id, university_id, capacity) values (1, 1, 1), (2, 1, null), (3, 1, null);
