#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# jobs_test.sh: is each test run by something? As TAP: each guest script is in a job, each job in a
# lane, and each job of make test-long in one slice.
#
# job: test,long jobs
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/tap.sh"
details=$(mktemp)
trap 'rm -f "$details"' EXIT

# none WHAT: a result: $details lists nothing
none()
{
	[ ! -s "$details" ]
	result $? "$1"
}

set +e
for file in "$here"/guest/*.sh; do
	case ${file##*/} in
	*lib.sh | batch.sh | splat.sh | cryptstop.sh)	;;
	*)	grep -q '^# job: ' "$file" || echo "${file##*/}" ;;
	esac
done > "$details"
none "each guest script is in a job"

cd "$here/.." && grep -rhE --include='*.sh' '^# job: ' selftests tools | cut -d ' ' -f 3 | tr , '\n' |
	sort -u | while read -r tag; do
	awk '!/^#/ && NF { print "," $4 "," }' "$here/lanes" | grep -q ",$tag," || echo "$tag"
done > "$details"
none "each job is in a lane"

# shellcheck disable=SC2016 # Perl's variables
perl -I "$here" -MJobs=slices,lanes,jobs -e '
	my $dir = shift;
	my %n;
	for my $slice (1 .. 12) {
		my @parts = slices($dir, $slice) or print "slice $slice has none\n";
		for (@parts) {
			my ($lane, @jobs) = @$_;
			$n{"$lane->{name} $_->{name}"}++ for @jobs;
		}
	}
	for my $lane (grep { @{$_->{slices}} } lanes($dir)) {
		($n{"$lane->{name} $_->{name}"} // 0) == 1 or print "$lane->{name} $_->{name}\n" for jobs($dir, $lane);
	}' "$here" > "$details"
none "each job of each lane is in one of twelve slices"
end_results
