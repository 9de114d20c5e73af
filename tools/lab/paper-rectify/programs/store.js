// SPDX-License-Identifier: GPL-2.0
/*
 * store.js FILE ATTACHMENT: a store of documents, a JSON text in each line of FILE. At each line
 * that it reads it makes the same list, sums and page; ATTACHMENT is read from its file each time.
 */
'use strict';
const fs = require('fs');
const readline = require('readline');

const LISTED = 200;

/* Strings to a number, that of Fowler, Noll and Vo. */
function checksum(text, sum = 0x811c9dc5)
{
	for (let i = 0; i < text.length; i++)
		sum = Math.imul(sum ^ text.charCodeAt(i), 0x01000193);
	return sum >>> 0;
}

class Store {
	constructor(file, attachment)
	{
		this.attachment = attachment;
		this.documents = new Map();
		this.sections = new Map();
		for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
			if (line)
				this.add(JSON.parse(line));
		}
	}

	add(document)
	{
		this.documents.set(document.id, document);
		if (!this.sections.has(document.section))
			this.sections.set(document.section, []);
		this.sections.get(document.section).push(document.id);
	}

	/* Some of all, as a page of results has them. */
	list()
	{
		const step = Math.max(1, Math.floor(this.documents.size / LISTED / 8));
		const rows = [];

		for (let id = 0; rows.length < LISTED && this.documents.has(id); id += step) {
			const { title, body, words } = this.documents.get(id);

			rows.push({ title, words, begin: body.slice(0, 80) });
		}
		return JSON.stringify(rows);
	}

	/* The documents of one section, by their tags. */
	sums()
	{
		const section = [...this.sections.keys()].sort()[0];
		const tags = new Map();

		for (const id of this.sections.get(section)) {
			const document = this.documents.get(id);

			for (const tag of document.tags)
				tags.set(tag, (tags.get(tag) || 0) + document.words);
		}
		return JSON.stringify([...tags].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
			.slice(0, 40));
	}

	page()
	{
		const parts = JSON.parse(fs.readFileSync(this.attachment, 'utf8'));

		return parts.map((part) => `<h2>${part.title}</h2><p>${part.body}</p>`).join('\n');
	}

	visit()
	{
		const page = this.page();
		const sum = checksum(page.slice(0, 65536), checksum(this.sums(), checksum(this.list())));

		return `${this.documents.size} documents ${page.length} ${sum.toString(16)}`;
	}
}

const store = new Store(process.argv[2], process.argv[3]);

readline.createInterface({ input: process.stdin }).on('line', () => {
	process.stdout.write(store.visit() + '\n');
});
