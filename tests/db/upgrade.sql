-- What a university has after its first term, as the baseline stores it. Ids count from 1.
insert into universities (name, short_code, country_id) values ('Analytical College', 'AC', 1);
insert into departments (university_id, name, code) values (1, 'Engines', 'ENG');
insert into users (email, full_name) values
  ('ada@example.edu', 'Ada'), ('charles@example.edu', 'Charles'), ('mary@example.edu', 'Mary');
insert into user_university_roles (user_id, university_id, role) values (2, 1, 'platform_admin'), (1, 1, 'student');
insert into user_profiles (user_id) values (1);
insert into domains (code, name) values ('math', 'Mathematics');
insert into subjects (name, code) values ('Analysis', 'ANA'), ('Algebra', 'ALG');
insert into user_subject_preferences (user_id, subject_id) values (1, 1);
insert into courses (university_id, department_id, title, code, is_published) values
  (1, 1, 'Difference engines', 'DE1', true), (1, null, 'Analytical engines', 'AE1', false);
insert into course_subjects (course_id, subject_id) values (1, 1);
insert into course_prerequisites (course_id, prerequisite_course_id) values (2, 1);
insert into modules (course_id, parent_module_id, module_type, title, depth, sequence_index, is_published) values
  (1, null, 'unit', 'Columns', 0, 1, true), (1, 1, 'topic', 'Carrying', 1, 1, true);
update content_types set label = 'Reading' where name = 'text';
insert into content_items (module_id, course_id, university_id, content_type_id, title, sequence_index, data_json)
  values (2, 1, 1, (select id from content_types where name = 'engineering_lab'), 'How a carry ripples', 1, '{"body": "Nine and one"}');
insert into course_offerings (course_id, university_id, capacity) values (1, 1, 30);
insert into course_offering_instructors (course_offering_id, user_id) values (1, 2);
insert into enrollments (user_id, course_offering_id, status) values (1, 1, 'active'), (3, 1, 'dropped');
insert into user_content_progress (user_id, course_offering_id, content_item_id) values (1, 1, 1);
insert into user_module_progress (user_id, course_offering_id, module_id) values (1, 1, 2);
insert into activity_events (user_id, university_id, verb, object_type, object_id, content_item_id, course_offering_id)
  values (1, 1, 'viewed', 'content_item', 1, 1, 1), (1, 1, 'viewed', 'content_item', 1, 1, 1);
select create_prompt_version('tutor', 'Teach {{title}} well.', '{}', '{}', null, 'Shorter', '[]', 2, 5, 1000000);
insert into cache_nodes (content_item_id, message, message_hash, prompt_name, prompt_version, model,
    prompt_fingerprint, content_fingerprint, chunks)
  values (1, 'Start.', 'hash', 'tutor', 1, 'model', 'prompt', 'content', '["Hello, ", "Ada."]');
insert into cache_hits (node_id) values (1);
insert into chat_sessions (user_id, content_item_id, content_context, content_fingerprint) values (1, 1, '{}', 'content');
insert into chat_messages (session_id, role, content) values (1, 'user', 'Start.'), (1, 'assistant', 'Hello, Ada.');
insert into feature_requests (user_id, title, description) values (1, 'Punched cards', 'To print them');
insert into certificates (user_id, course_offering_id, certificate_code, issued_at) values (1, 1, 'CODE-1', now());
insert into lab_submissions (user_id, course_offering_id, content_item_id, artifacts_url)
  values (1, 1, 1, 'https://files.example.edu/2'), (1, 1, 1, 'https://files.example.edu/1'), (3, 1, 1, null);
update lab_submissions set submitted_at = now() - interval '1 day' where artifacts_url like '%/1';
