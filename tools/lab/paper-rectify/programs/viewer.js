// SPDX-License-Identifier: GPL-2.0
/*
 * viewer.js FILE: shows a PDF, by "mutool run". Small pictures of its first pages are kept, and the
 * last pages that were shown. At each line that it reads it shows the same pages.
 */
var SMALL = 40, KEPT = 6, SCALE = 1.25;
var SHOWN = [3, 30];

/* Of every sixteenth point, down and across. */
function checksum(pixmap, sum) {
	var x, y;

	for (y = 0; y < pixmap.getHeight(); y += 16)
		for (x = 0; x < pixmap.getWidth(); x += 16)
			sum = (sum * 31 + pixmap.getSample(x, y, 1)) % 1000000007;
	return sum;
}

function draw(number, scale) {
	return document.loadPage(number).toPixmap([scale, 0, 0, scale, 0, 0], DeviceRGB, false);
}

function visit() {
	var sum = 0, i;

	for (i = 0; i < SHOWN.length; i++) {
		kept.shift();
		kept.push(draw(SHOWN[i], SCALE));
		sum = checksum(kept[KEPT - 1], sum);
	}
	/* Of the bar with the small pictures a part is seen. */
	for (i = 0; i < 8; i++)
		sum = checksum(small[i], sum);
	return pages + " pages " + sum;
}

var document = new Document(scriptArgs[0]);
var pages = document.countPages();
var small = [], kept = [], i;

for (i = 0; i < SMALL; i++)
	small.push(draw(i, 0.3));
for (i = 0; i < KEPT; i++)
	kept.push(draw(i, SCALE));
try {
	for (;;) {
		readline();
		print(visit());
	}
} catch (end) {
	/* There are no more lines, or this says why not. */
	if (String(end).indexOf("stdin") < 0)
		throw end;
}
