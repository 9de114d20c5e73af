import sys,bisect,collections
sy=[]
for l in open(sys.argv[1],errors='replace'):
    f=l.split()
    if len(f)>=3 and f[1] in 'tTwW' and not f[2].startswith('$'): sy.append((int(f[0],16),f[2]))
sy.sort(); ad=[a for a,_ in sy]
c=collections.Counter()
for l in open(sys.argv[2]):
    if l.startswith('pass'): continue
    a,n=l.split(); a=int(a,16); n=int(n)
    i=bisect.bisect(ad,a)-1
    c[sy[i][1] if a and i>=0 else 'user']+=n
t=sum(c.values())
print(t/1e6)
for k,v in c.most_common(int(sys.argv[3])): print("%6.2f%% %9.1fM %s"%(100*v/t,v/1e6,k))
