# SPDX-License-Identifier: GPL-2.0
#
# The jobs and lanes of the tests. A test says in its head what runs it:
#
#   # job: TAG[,TAG...] NAME [needs=WHAT] [seconds=N] [WORD...]
#
# A script in selftests/guest runs in a guest, and the words are options of qemu/guest.sh (DISK: an
# image); scripts with the same NAME share that guest, the one with the options first. Any other
# file is a program of the host that prints TAP, and the words are its arguments. What a guest's
# machine needs to boot is built first, and so is WHAT. N is about how long the job takes: the longest
# begins first. selftests/lanes says which tags are a lane.
package Jobs;
use strict;
use warnings;
use Exporter 'import';
our @EXPORT_OK = qw(jobs lane lanes chosen slices weight);

# Seconds of a program of the host whose head does not say it. Those of a guest are a fifth of its
# time-out then. Both are guesses.
my $SECONDS = 40;

sub lines_of {
	my ($file) = @_;
	open my $in, '<', $file or die "run.sh: $file: $!\n";
	return <$in>;
}

# lanes DIR: all, in the order of their file
sub lanes {
	my ($dir) = @_;
	my @lanes;
	for (grep { !/^#/ && /\S/ } lines_of("$dir/lanes")) {
		my ($always, $slice) = split /\|/;
		my ($name, $kernel, $groups, $tags, @settings) = split ' ', $always;
		my ($numbers, @slice_settings) = split ' ', $slice // '';
		push @lanes, { name => $name, kernel => $kernel, groups => $groups,
			tags => [split /,/, $tags], settings => \@settings,
			slices => [split /,/, $numbers // ''], slice_settings => \@slice_settings };
	}
	return @lanes;
}

sub lane {
	my ($dir, $name) = @_;
	my @all = lanes($dir);
	my ($lane) = grep { $_->{name} eq $name } @all;
	return $lane // die "run.sh: no lane \"$name\"; there are: @{[map { $_->{name} } @all]}\n";
}

# add JOB SCRIPT WORD...: what a line says; SCRIPT is empty for a program of the host
sub add {
	my ($job, $script, @words) = @_;
	while (@words && $words[0] =~ /^(needs|seconds)=(.*)/) {
		$job->{$1} = $2;
		shift @words;
	}
	die "run.sh: two tests define the job $job->{name}, one in $job->{file}\n"
		if $job->{guest} ? !$script || (@words && @{$job->{words}}) : @{$job->{scripts}};
	if (!$script) {
		@$job{qw(scripts words)} = ([$job->{name}], \@words);
		return;
	}
	@$job{qw(guest needs)} = (1, $job->{needs} || 'guest');
	if (!@words) {
		push @{$job->{scripts}}, $script;
		return;
	}
	unshift @{$job->{scripts}}, $script;
	$job->{words} = \@words;
	$job->{needs} = $words[1] if $words[0] eq '--machine';
}

# heads DIR: what the heads of all tests say: [FILE, TAGS, NAME, WORDS]
my %heads;
sub heads {
	my ($dir) = @_;
	return @{$heads{$dir}} if $heads{$dir};
	for my $file (split /\n/, `cd "$dir/.." && grep -rl --include='*.sh' '^# job:' selftests tools`) {
		my $head = 1;
		for (lines_of("$dir/../$file")) {
			$head &&= /^(#|$)/;
			next if !/^# job:/;
			my @line = /^# job: (\S+) (\S+) ?(.*)/;
			die "run.sh: $file: not a job, or not in the head: $_" if !$head || !@line;
			push @{$heads{$dir}}, [$file, @line];
		}
	}
	return @{$heads{$dir}} = sort { $a->[0] cmp $b->[0] } @{$heads{$dir} // []};
}

# jobs DIR LANE: those that have one of its tags, by the names of their files
sub jobs {
	my ($dir, $lane) = @_;
	my $tags = join '|', @{$lane->{tags}};
	my (%jobs, @order);
	for (heads($dir)) {
		my ($file, $its, $name, $words) = @$_;
		next if !grep { /^($tags)$/ } split /,/, $its;
		push @order, $name if !$jobs{$name};
		$jobs{$name} //= { name => $name, file => $file, scripts => [], words => [], needs => '' };
		add($jobs{$name}, $file =~ m{^selftests/guest/(.*)\.sh$} ? $1 : '', split ' ', $words);
	}
	for (grep { $_->{guest} && !@{$_->{words}} } values %jobs) {
		die "run.sh: the guest of the job $_->{name} has no options\n";
	}
	return map { $jobs{$_} } @order;
}

# chosen JOBS NAME...: what the names leave of them: JOB, SCRIPT or JOB:SCRIPT, and -NAME for not it
sub chosen {
	my ($jobs, @names) = @_;
	my %known = map { my $job = $_; map { ($_ => 1, $job->{name} => 1, "$job->{name}:$_" => 1) }
		@{$job->{scripts}} } @$jobs;
	for (@names) {
		die "run.sh: no job or script \"@{[s/^-//r]}\" in this lane; there are: @{[sort keys %known]}\n"
			if !$known{s/^-//r};
	}
	my %not = map { s/^-//r => 1 } grep { /^-/ } @names;
	my %only = map { $_ => 1 } grep { !/^-/ } @names;
	my @left;
	for my $job (@$jobs) {
		my $is = sub { my $in = shift; grep { $in->{$_} } $job->{name}, $_[0], "$job->{name}:$_[0]" };
		my @scripts = grep { !$is->(\%not, $_) && (!%only || $is->(\%only, $_)) } @{$job->{scripts}};
		push @left, { %$job, scripts => \@scripts } if @scripts;
	}
	return @left;
}

# weight JOB: about how many seconds it takes
sub weight {
	my ($job) = @_;
	return $job->{seconds} if $job->{seconds};
	my ($limit) = "@{$job->{words}}" =~ /--timeout (\d+)/;
	return $job->{guest} && $limit ? $limit / 5 : $SECONDS;
}

# slices DIR NUMBER: of each lane that is in this slice, [LANE, JOB...]. The largest job goes to the
# slice that has the least.
sub slices {
	my ($dir, $number) = @_;
	my (@found, %load);
	for my $lane (lanes($dir)) {
		my @mine;
		for my $job (sort { weight($b) <=> weight($a) } jobs($dir, $lane)) {
			my ($least) = sort { ($load{$a} // 0) <=> ($load{$b} // 0) || $a <=> $b } @{$lane->{slices}};
			last if !defined $least;
			$load{$least} += weight($job);
			push @mine, $job if $least == $number;
		}
		push @found, [$lane, @mine] if @mine;
	}
	return @found;
}

1;
