" SPDX-License-Identifier: GPL-2.0
" Changes all over the text, which can be undone, and a search at another place each time.
set undolevels=1000
let s:visit = 0
silent %s/the/THE/g
silent %s/THE /the /g

func Visit()
	let s:visit += 1
	let found = 0
	call cursor(s:visit * 7919 % line('$') + 1, 1)
	for word in ['memory', 'error', 'file', 'page']
		for n in range(40)
			let found += search(word, 'w') > 0
		endfor
	endfor
	call setline(1, 'visit ' . s:visit)
	call writefile([line('$') . ' lines, found ' . found], '/dev/stdout', 'a')
endfunc
