#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# Runs the jobs of a lane for run.sh, which says how to use it. Perl's TAP::Harness, the inside of
# prove, runs them and reads their results. This file chooses and orders the jobs, shows the failures,
# and keeps build/results.
use strict;
use warnings;
use FindBin '$RealBin';
use lib $RealBin;
use Jobs qw(jobs lane chosen weight);
use POSIX 'strftime';
use TAP::Harness;

my $top = "$RealBin/..";
# The reason of a job that does not begin because of MTDC_UNTIL (job.sh), and the names of these
# jobs.
my $over = 'the time is over';
my @left;
$| = 1;

# The formatter of TAP::Harness, and its session for each job.
package Said {
	sub new { return bless { failures => [], skips => [] }, shift }
	sub prepare { }
	sub summary { }
	sub verbosity { return -1 }
	sub open_test {
		my ($self, $name, $parser) = @_;
		return bless { said => $self, name => $name, parser => $parser, begun => time,
			before => [] }, ref $self;
	}
	sub failure {
		my ($self, @lines) = @_;
		print map { "   $_\n" } @lines;
		push @{$self->{said}{failures}}, grep { $self->{lines}++ < 40 } @lines;
	}
	# text: a result without the backslashes of tap.awk
	sub text { return $_[0]->as_string =~ s/\\([\\#])/$1/gr }
	# result: failures are shown at once, with their comments: the guests' scripts print them after
	# the result, the programs in C before it
	sub result {
		my ($self, $result) = @_;
		my ($said, $name) = @$self{qw(said name)};
		if ($result->is_test) {
			$self->{show} = !$result->is_ok;
			if ($self->{show}) {
				$self->failure("$name: " . text($result), $said->{guest}{$name} ? () : @{$self->{before}});
				# The script that failed, or '' if all that ran may be the reason.
				push @{$said->{again}{$name}}, $result->description =~ /^- ([\w-]+): / ? $1 : '';
			} elsif ($result->has_skip) {
				push @{$said->{skips}}, "$name: " . text($result);
			}
			$self->{before} = [];
		} elsif ($result->is_comment) {
			my $text = '   ' . $result->as_string;
			push @{$self->{before}}, $text;
			shift @{$self->{before}} if @{$self->{before}} > 12;
			$self->failure($text) if $self->{show};
		}
	}
	sub close_test {
		my ($self) = @_;
		my $parser = $self->{parser};
		my ($said, $name) = @$self{qw(said name)};
		my $skipped = () = $parser->skipped;
		my $failed = () = $parser->failed;
		if (($parser->skip_all // '') eq $over) {
			push @left, $name if $name !~ /^build-/;
			return;
		}
		# It ended without results, or a result that it planned is missing.
		my $errors = () = $parser->parse_errors;
		if (!$failed && ($errors || $parser->exit || !$parser->tests_run)) {
			$failed = 1;
			push @{$said->{failures}}, "$name: " . join('; ', $parser->parse_errors) .
				" (exit status " . $parser->exit . ')';
			$said->{again}{$name} = [''];
		}
		my $passed = () = $parser->passed;
		$passed -= $skipped;
		if ($name =~ /^build-(.*)/) {
			main::built($1, $failed);
			return if !$failed;
		}
		$said->{sums}[0] += $passed;
		$said->{sums}[1] += $failed;
		$said->{sums}[2] += $skipped;
		my $seconds = time - $self->{begun};
		$said->{done}->($name, $passed, $failed, $skipped, $seconds);
		printf "   %-14s %4d ok, %d not ok, %d skipped, %d s\n", $name, $passed, $failed, $skipped, $seconds;
	}
}

package main;

my ($lane_name, $list, @names) = ('test');
while (@ARGV) {
	my $word = shift @ARGV;
	if ($word eq '--lane') {
		$lane_name = shift @ARGV // die "run.sh: --lane: which?\n";
	} elsif ($word eq '--list') {
		$list = 1;
	} elsif ($word =~ /^--/) {
		die "usage: run.sh [--lane LANE] [--list] [NAME...|-NAME...]\n";
	} else {
		push @names, $word;
	}
}
my $lane = lane($RealBin, $lane_name);
my @all = jobs($RealBin, $lane);
my @jobs = chosen(\@all, @names);
if ($list) {
	print "$_->{name} : @{$_->{scripts}}\n" for @jobs;
	exit 0;
}

# Variables that the user has set are part of the command that repeats a failure. Then the lane's.
my @given = map { "$_=$ENV{$_} " } grep { /^MTDC_(LONG|OPS|CYCLES|ROUNDS|GENS|STEP|EVERY|VANISH|FAULTS|SECONDS|SWAP_LIMIT|MTHP)$/ }
	sort keys %ENV;
for (@{$lane->{settings}}) {
	my ($name, $value) = split /=/, $_, 2;
	$ENV{$name} //= $value;
}
$ENV{MTDC_SEED} ||= 1;
my $logs = $ENV{MTDC_LOGS} = "$top/build/" . ($ENV{MTDC_LOGS} // $lane_name);
system('mkdir', '-p', $logs) == 0 or exit 1;
unlink glob "$logs/*.{log,first,out,count,built,env} $logs/summary";
my $results = "$top/build/results";
chomp(my $tree = `"$RealBin/source-hash.sh"`);
die "run.sh: source-hash.sh failed\n" if $? || $tree !~ /^\S+$/;

# Seconds of each job's last run, first of this lane.
my %seconds;
if (open my $in, '<', $results) {
	while (<$in>) {
		my (undef, undef, $its, $job, undef, undef, undef, $time) = split ' ';
		$seconds{$its eq $lane_name ? $job : "any $job"} = $time if @{[split ' ']} == 9;
	}
}
sub seconds { my ($job) = @_; return $seconds{$job->{name}} // $seconds{"any $job->{name}"} // weight($job) }

# in_order: the longest first, so that in the end none is waited for alone; but first what builds,
# and beside it what does not wait for that
sub in_order {
	my @sorted = sort { seconds($b) <=> seconds($a) } @_;
	my %needs = map { $_->{needs} => 1 } grep { $_->{needs} } @sorted;
	my @builds = map { { name => "build-$_", command => ["$RealBin/job.sh", '-', 'build', $_] } }
		sort { ($b eq 'guest') <=> ($a eq 'guest') || $a cmp $b } keys %needs;
	my @free = grep { !$_->{needs} } @sorted;
	my @beside = @builds ? splice @free, 0, 1 : ();
	my %beside = map { $_->{name} => 1 } @beside;
	return (splice(@builds, 0, 1), @beside, @builds, grep { !$beside{$_->{name}} } @sorted);
}

sub command {
	my ($job) = @_;
	return @{$job->{command}} if $job->{command};
	return ("$RealBin/job.sh", $job->{needs} || '-', $job->{guest} ?
		('guest', @{$job->{words}}, '--', @{$job->{scripts}}) :
		('host', "$top/$job->{file}", @{$job->{words}}));
}

# built WHAT FAILED: job.sh waits for this, however prepare.sh has ended
sub built {
	my ($what, $failed) = @_;
	open my $out, '>', "$logs/$what.built" or die "run.sh: $logs/$what.built: $!\n";
	print $out $failed ? "1\n" : "0\n";
	close $out or die "run.sh: $logs/$what.built: $!\n";
}

my %count;
# done: a line for long.sh, and for the order of the next run
sub done {
	my ($name, $passed, $failed, $skipped, $seconds) = @_;
	my $whole = !grep { $_->{name} eq $name && $count{$name} != @{$_->{scripts}} } @all;
	open my $out, '>>', $results or return;
	print $out join(' ', strftime('%FT%TZ', gmtime), $tree, $lane_name, $name, $passed, $failed,
		$skipped, $seconds, $whole ? 'whole' : 'part'), "\n";
}

# run JOBS_AT_A_TIME JOB...: all that was said
sub run {
	my ($at_a_time, @jobs) = @_;
	my %jobs = map { $_->{name} => $_ } @jobs;
	my $said = Said->new;
	$said->{sums} = [0, 0, 0];
	$said->{done} = \&done;
	$said->{guest} = { map { $_->{name} => $_->{guest} } @jobs };
	$count{$_->{name}} = @{$_->{scripts} // []} for @jobs;
	TAP::Harness->new({
		formatter => $said,
		jobs => $at_a_time,
		ignore_exit => 0,
		exec => sub {
			my ($harness, $name) = @_;
			if (($ENV{MTDC_UNTIL} // '') ne '' && time >= $ENV{MTDC_UNTIL}) {
				return ['echo', "1..0 # SKIP $over"];
			}
			my $scripts = join ' ', @{$jobs{$name}{scripts} // []};
			print "== $name", ($scripts ne '' && $scripts ne $name ? ": $scripts" : ''), "\n";
			# Whatever ends this ends its jobs.
			return ['env', "MTDC_JOB=$name", 'setpriv', '--pdeathsig', 'TERM', command($jobs{$name})];
		},
	})->runtests(map { $_->{name} } @jobs);
	return $said;
}

# again: each job that failed once more, alone, only its scripts that did; what passes then has not
# failed
sub again {
	my ($first) = @_;
	my @failed = grep { $first->{again}{$_->{name}} } @jobs;
	# A build is not repeated: its failure stays.
	my %still = map { $_ => 1 } grep { /^build-/ } keys %{$first->{again}};
	my @failures = map { "$_: it could not be built" } sort keys %still;
	local $ENV{MTDC_UNTIL} = '';
	for my $job (@failed) {
		my $name = $job->{name};
		my %which = map { $_ => 1 } @{$first->{again}{$name}};
		my @scripts = grep { $which{$_} } @{$job->{scripts}};
		print "== once more, alone: $name\n";
		rename "$logs/$name.log", "$logs/$name.first";
		my $second = run(1, { %$job, scripts => @scripts && !$which{''} ? \@scripts : $job->{scripts} });
		push @failures, @{$second->{failures}};
		$still{$name} = 1 if $second->{sums}[1];
	}
	my ($passed, undef, $skipped) = @{$first->{sums}};
	$passed += grep { !$still{$_->{name}} } @failed;
	return { sums => [$passed, scalar keys %still, $skipped], again => \%still, failures => \@failures,
		skips => $first->{skips}, first => $first->{failures} };
}

# names_again SAID JOB: what of it failed, as run.sh takes it
sub names_again {
	my ($said, $job) = @_;
	my $scripts = $said->{again}{$job};
	return $job if !grep { $_->{name} eq $job && $_->{guest} } @jobs;
	my %which = map { $_ => 1 } ref $scripts ? @$scripts : '';
	return $which{''} || !%which ? $job : join ' ', map { "$job:$_" } sort keys %which;
}

# failed_lines SAID MOST: what failed, where the logs are, and how to repeat it
sub failed_lines {
	my ($said, $most) = @_;
	my @names = grep { !/^build-/ } sort keys %{$said->{again} // {}};
	my @first = @{$said->{first} // []};
	my @failures = @{$said->{failures} // []};
	return (@first ? ('== failed the first time:', map { "   $_" } grep { defined } @first[0 .. 5]) : (),
		@failures ? ('== failed:', map { '   ' . substr $_, 0, 160 } grep { defined } @failures[0 .. $most]) : (),
		map { "   log: " . ($logs =~ s{.*/\.\./}{}r) . "/$_.log; again: MTDC_SEED=$ENV{MTDC_SEED} @{given}selftests/run.sh " .
			"--lane $lane_name " . names_again($said, $_) } grep { defined } @names[0 .. 2]);
}

print "== lane $lane_name, seed $ENV{MTDC_SEED}\n";
my $begun = time;
$ENV{MTDC_CHOSEN} = join ' ', map { $_->{name} } @jobs;
$ENV{MTDC_LANE_KERNEL} = $lane->{kernel};
$ENV{MTDC_LANE_GROUPS} = $lane->{groups};
chomp(my $processors = `nproc`);
my @sorted = in_order(@jobs);
if ($ENV{MTDC_UNTIL} && @jobs) {
	# When the time does not suffice for all, other ones are left out with each seed.
	my @rotated = grep { $_->{name} !~ /^build-/ } @sorted;
	push @rotated, splice @rotated, 0, $ENV{MTDC_SEED} % @rotated;
	@sorted = ((grep { $_->{name} =~ /^build-/ } @sorted), @rotated);
}
my $said = run($ENV{MTDC_JOBS} || $processors, @sorted);
$said = again($said) if $ENV{MTDC_AGAIN} && $said->{again};

print '== ', time - $begun, " s\n";
print "== the time was over, left out: @left\n" if @left;
print "== skipped:\n", map { "   $_\n" } @{$said->{skips}} if @{$said->{skips}};
print map { "$_\n" } failed_lines($said, 39);
open my $out, '>', "$logs/summary" or die "run.sh: $logs/summary: $!\n";
print $out map { "$_\n" } failed_lines($said, 8);
close $out;
my ($passed, $failed, $skipped) = @{$said->{sums}};
print "$passed passed, $failed failed, $skipped skipped\n";
exit !($failed == 0 && ($passed || @left));
